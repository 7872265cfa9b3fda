// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/small_job.hpp"
#include "report/explanation.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

TEST(Explanation, IsLargeAndInColour) {
  const auto images = support::gratings(60);
  const Model model = train(Context(), images, {support::small_options("random-patches")});
  std::vector<float> image(144);
  for (std::size_t p = 0; p < 144; ++p) image[p] = p % 12 < 6 ? 20 : 220;
  const Image drawn = draw_explanation(model, image.data(), model.shape(), 1, "grating: 90 %");
  EXPECT_EQ(drawn.shape.channels, 3);
  EXPECT_GE(drawn.shape.height, 256 + 40);
  EXPECT_GE(drawn.shape.width, 2 * 256 + 128);
  const Image wide = draw_explanation(model, image.data(), model.shape(), 1, std::string(120, 'x'));
  EXPECT_GE(wide.shape.width, 120 * 12) << "the title is not cut off";
  EXPECT_THROW(draw_explanation(model, image.data(), model.shape(), 3, ""), InvalidArgument);
}

}  // namespace
}  // namespace krica
