// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/report/page.hpp"

namespace krica {
namespace {

TEST(Page, IsSelfContainedAndEscaped) {
  ReportPage page("a < b & \"c\"");
  page.add_text("1 < 2");
  page.add_table({{"x", "y"}, {"<td>", "−1.5"}, {"z", "word"}}, {"sizes", {2}});
  page.add_picture("dot", {{1, 1, 1}, {7}});
  const std::string html = page.html();
  EXPECT_NE(html.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">&lt;td&gt;</th><td class=\"number\">−1.5</td>"),
            std::string::npos);
  EXPECT_NE(html.find("<tr class=\"marked\"><th scope=\"row\">z</th><td>word</td>"),
            std::string::npos);
  EXPECT_NE(html.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos)
      << "a PNG's first bytes";
  EXPECT_EQ(html.find("http"), std::string::npos) << "no outside reference";
}

}  // namespace
}  // namespace krica
