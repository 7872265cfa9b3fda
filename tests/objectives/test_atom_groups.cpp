// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "krica/objectives/terms.hpp"
#include "support/comparison.hpp"
#include "support/reference.hpp"
#include "support/terms.hpp"

namespace krica {
namespace {

using support::refusal;
using support::same_bits;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(PoolingMatrix, OfNoneIsTheIdentity) {
  const Matrix<double> H = group_matrix(AtomGroups::none(), 5);
  EXPECT_TRUE(H.view() == RowMajor<double>::Identity(5, 5));
}

TEST(PoolingMatrix, OfGroupsIsBlocksOfOnes) {
  const Matrix<double> H = group_matrix(AtomGroups::of_size(2), 6);
  for (Index j = 0; j < 6; ++j) {
    for (Index u = 0; u < 6; ++u) EXPECT_EQ(H(j, u), j / 2 == u / 2 ? 1 : 0);
  }
}

TEST(PoolingMatrix, OfGroupsOfOneIsTheIdentity) {
  const Matrix<double> H = group_matrix(AtomGroups::of_size(1), 4);
  EXPECT_TRUE(H.view() == RowMajor<double>::Identity(4, 4));
}

TEST(PoolingMatrix, OfCustomIsWhatWasGiven) {
  const std::vector<double> weights = support::random_weights(7);
  const Matrix<double> H = group_matrix(AtomGroups::custom(weights), 7);
  for (std::size_t e = 0; e < weights.size(); ++e) EXPECT_EQ(H.data()[e], weights[e]);
}

TEST(PoolingMatrix, TopographicByHand) {
  // A grid of 4×5: atom 0 in the corner meets the last row and the last column.
  const Matrix<double> H = group_matrix(AtomGroups::topographic(), 20);
  std::vector<Index> neighbours;
  for (Index u = 0; u < 20; ++u) {
    if (H(0, u) != 0) neighbours.push_back(u);
  }
  EXPECT_THAT(neighbours, testing::ElementsAre(0, 1, 4, 5, 6, 9, 15, 16, 19));
}

class TopographicSizes : public testing::TestWithParam<Index> {};

TEST_P(TopographicSizes, AreTheNaiveTorus) {
  const Matrix<double> H = group_matrix(AtomGroups::topographic(), GetParam());
  EXPECT_TRUE(same_bits(H, reference::group_weights(AtomGroups::topographic(), GetParam())));
}

TEST_P(TopographicSizes, AreSymmetricWithOnesAlone) {
  const Matrix<double> H = group_matrix(AtomGroups::topographic(), GetParam());
  EXPECT_TRUE(H.view() == H.view().transpose());
  EXPECT_TRUE((H.view().array() * (H.view().array() - 1) == 0.0).all());
  const auto [rows, cols] = nearly_square_grid(GetParam());
  const double neighbours =
      static_cast<double>(std::min<Index>(rows, 3) * std::min<Index>(cols, 3));
  EXPECT_TRUE((H.view().rowwise().sum().array() == neighbours).all());
}

INSTANTIATE_TEST_SUITE_P(AtomGroups, TopographicSizes,
                         testing::Values<Index>(4, 6, 8, 9, 12, 16, 35),
                         testing::PrintToStringParamName());

TEST(AtomGroups, TakesAnExplicitGrid) {
  const AtomGroups wide = {.kind = AtomGrouping::kTopographic, .grid_rows = 2, .grid_cols = 8};
  const Matrix<double> H = group_matrix(wide, 16);
  EXPECT_TRUE(same_bits(H, reference::group_weights(wide, 16)));
  EXPECT_FALSE(same_bits(H, group_matrix(AtomGroups::topographic(), 16)));
}

TEST(NearlySquareGrid, IsTheMostNearlySquare) {
  for (const auto& [K, rows, cols] : {std::tuple<Index, Index, Index>{1, 1, 1},
                                      {2, 1, 2},
                                      {12, 3, 4},
                                      {16, 4, 4},
                                      {13, 1, 13},
                                      {1600, 40, 40},
                                      {18, 3, 6}}) {
    EXPECT_EQ(nearly_square_grid(K), std::make_pair(rows, cols));
  }
}

struct BadPooling {
  std::string name;
  AtomGroups groups;
  Index K;
  std::vector<std::string> fault;
};

class BadGroups : public testing::TestWithParam<BadPooling> {};

TEST_P(BadGroups, AreRefusedWithTheirValues) {
  const auto& [name, groups, K, fault] = GetParam();
  const std::string message = refusal([&, p = groups, k = K] { p.validate(k); });
  EXPECT_THAT(message, StartsWith("[pooling-groups]"));
  for (const std::string& part : fault) EXPECT_THAT(message, HasSubstr(part));
  EXPECT_EQ(refusal([&, p = groups, k = K] { (void)group_matrix(p, k); }), message);
}

AtomGroups grid(Index rows, Index cols) {
  AtomGroups groups = AtomGroups::topographic();
  groups.grid_rows = rows;
  groups.grid_cols = cols;
  return groups;
}

std::vector<double> weights_with(double bad) {
  std::vector<double> weights(9, 1.0);
  weights[5] = bad;
  return weights;
}

INSTANTIATE_TEST_SUITE_P(
    AtomGroups, BadGroups,
    testing::ValuesIn(std::vector<BadPooling>{
        {"NoAtoms", AtomGroups::none(), 0, {"must be > 0", "0"}},
        {"NegativeAtoms", AtomGroups::none(), -3, {"-3"}},
        {"GroupsThatDoNotDivide", AtomGroups::of_size(5), 12, {"groups of 5", "12 atoms"}},
        {"GroupsOfZero", AtomGroups::of_size(0), 12, {"groups of 0"}},
        {"GroupsOfNegative", AtomGroups::of_size(-3), 12, {"groups of -3"}},
        {"GroupsLargerThanAll", AtomGroups::of_size(24), 12, {"groups of 24"}},
        {"TopographicPrime", AtomGroups::topographic(), 13, {"13 atoms", "prime"}},
        {"TopographicTwo", AtomGroups::topographic(), 2, {"2 atoms"}},
        {"TopographicOne", AtomGroups::topographic(), 1, {"1 atoms"}},
        {"GridNotFilled", grid(3, 3), 12, {"3 x 3", "12 atoms"}},
        {"GridHalfGiven", grid(3, 0), 12, {"3 x 0"}},
        {"GridNegative", grid(-3, -4), 12, {"-3 x -4"}},
        {"CustomTooFew", AtomGroups::custom({1, 2, 3}), 2, {"3 weights", "2 x 2"}},
        {"CustomNegative", AtomGroups::custom(weights_with(-0.5)), 3, {"-0.5", "row 1, column 2"}},
        {"CustomNan",
         AtomGroups::custom(weights_with(std::numeric_limits<double>::quiet_NaN())),
         3,
         {"nan", "row 1, column 2"}},
        {"CustomInf",
         AtomGroups::custom(weights_with(std::numeric_limits<double>::infinity())),
         3,
         {"inf"}},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace krica
