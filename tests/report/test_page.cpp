// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "report/page.hpp"

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
  EXPECT_NE(html.find("<tr class=\"marked\"><th scope=\"row\">z</th><td class=\"word\">word</td>"),
            std::string::npos);
  EXPECT_NE(html.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos)
      << "a PNG's first bytes";
  EXPECT_EQ(html.find("http"), std::string::npos) << "no outside reference";
}

TEST(Page, OpensWithTheResultAndLinksItsSections) {
  ReportPage page("title");
  page.add_text("what it is of");
  page.add_section("First");
  page.add_section("Second");
  page.set_opening("The best is x.", {{"<svg></svg>", "its picture"}});
  const std::string html = page.html();
  const std::size_t result = html.find("<p class=\"result\">The best is x.</p>");
  const std::size_t picture = html.find("<figcaption>its picture</figcaption>");
  const std::size_t contents = html.find("<nav id=\"contents\"");
  ASSERT_NE(result, std::string::npos);
  EXPECT_LT(result, picture);
  EXPECT_LT(picture, contents);
  EXPECT_LT(contents, html.find("what it is of"));
  EXPECT_LT(html.find("<a href=\"#s2\">Second</a>"), html.find("<h2 id=\"s2\">Second</h2>"));
}

TEST(Page, OptionsAreNotBrokenIntoLines) {
  ReportPage page("title");
  page.add_command("Run:", "krica train a-b --receptive-field 6");
  page.add_note("Use --test-fraction; or not.");
  page.add_table({{"setting", "x"}, {"pool-power=0.5 gamma=1", "1"}});
  const std::string html = page.html();
  EXPECT_NE(html.find("krica train a-b <span class=\"option\">--receptive-field</span> 6"),
            std::string::npos);
  EXPECT_NE(html.find("Use <code class=\"option\">--test-fraction</code>; or not."),
            std::string::npos);
  EXPECT_NE(html.find("<span class=\"option\">pool-power=0.5</span>"), std::string::npos);
}

TEST(Page, WordsInAColumnOfNumbersAreAlignedWithThem) {
  ReportPage page("title");
  page.add_table({{"x", "value", "text"}, {"a", "1.5", "b"}, {"c", "any", "d"}});
  const std::string html = page.html();
  EXPECT_NE(html.find("<td class=\"word\">any</td><td>d</td>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"col\" class=\"number\">value</th><th scope=\"col\">text</th>"),
            std::string::npos);
}

}  // namespace
}  // namespace krica
