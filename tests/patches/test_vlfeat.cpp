// SPDX-License-Identifier: BSD-3-Clause
//
// Dense SIFT beside VLFeat's (vl_dsift), which centres its cells on pixels: the same geometry for
// cells of an odd number of pixels. VLFeat weighs cells by a Gaussian; a very wide one weighs none.
#include <gtest/gtest.h>
extern "C" {
#include <vl/dsift.h>
}

#include <memory>

#include "patches/dense_sift.hpp"
#include "support/sift_images.hpp"

namespace krica {
namespace {

class EveryField : public testing::TestWithParam<Index> {};

TEST_P(EveryField, PointsWhereVlfeatsDoes) {
  const Index field = GetParam();
  const ImageShape shape{90, 120, 1};
  const DenseSift sift({field, 6, DescriptorKind::kSift});
  const std::vector<float> image = support::photo(shape);
  const Matrix<float> ours = support::descriptors_of(sift, image, shape);
  const int cell = static_cast<int>(field / 4);
  const std::unique_ptr<VlDsiftFilter, void (*)(VlDsiftFilter*)> filter(
      vl_dsift_new_basic(120, 90, 6, cell), vl_dsift_delete);
  vl_dsift_set_flat_window(filter.get(), VL_TRUE);
  vl_dsift_set_window_size(filter.get(), 1e6);
  const PixelPlace first = sift.first_pixel(shape);
  const Positions positions = sift.positions(shape);
  const int left = static_cast<int>(first.col) + cell / 2;  // the first cell's centre
  const int top = static_cast<int>(first.row) + cell / 2;
  vl_dsift_set_bounds(filter.get(), left, top,
                      left + 6 * static_cast<int>(positions.cols - 1) + 3 * cell,
                      top + 6 * static_cast<int>(positions.rows - 1) + 3 * cell);
  vl_dsift_process(filter.get(), image.data());
  ASSERT_EQ(vl_dsift_get_keypoint_num(filter.get()), positions.count());
  const ConstMatrixView<float> theirs(vl_dsift_get_descriptors(filter.get()), positions.count(),
                                      128);
  for (Index p = 0; p < positions.count(); ++p) {
    // Away from the border, where VLFeat continues the image and krica has nothing.
    const Index row = p / positions.cols;
    const Index col = p % positions.cols;
    const bool inside = row > 0 && col > 0 && row + 1 < positions.rows && col + 1 < positions.cols;
    const double cosine =
        ours.view().row(p).dot(theirs.row(p)) / (ours.view().row(p).norm() * theirs.row(p).norm());
    EXPECT_GT(cosine, inside ? 0.999 : 0.98) << row << ' ' << col;
  }
}

INSTANTIATE_TEST_SUITE_P(Vlfeat, EveryField, testing::Values(12, 20, 28));

}  // namespace
}  // namespace krica
