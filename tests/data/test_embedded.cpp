// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>

#include "krica/data/dataset.hpp"

namespace krica {
namespace {

TEST(Embedded, IsBalanced) {
  const DataSet data = open_dataset(Context(), "embedded");
  EXPECT_EQ(data.format, DataFormat::kEmbedded);
  EXPECT_EQ(data.train->shape(), (ImageShape{28, 28, 1}));
  EXPECT_EQ(data.train->class_names().front(), "T-shirt/top");
  EXPECT_EQ(data.train->class_names().back(), "Ankle boot");
  for (const auto& [set, each] : {std::pair(data.train, 200), std::pair(data.test, 100)}) {
    std::vector<int> counts(10);
    for (const int label : set->labels()) ++counts[static_cast<std::size_t>(label)];
    EXPECT_EQ(counts, std::vector<int>(10, each));
  }
}

/// The first `per_class` images of each class, in their order.
std::vector<Index> first_of_each_class(const std::vector<int>& labels, int per_class) {
  std::vector<int> counts(10);
  std::vector<Index> chosen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (counts[static_cast<std::size_t>(labels[i])]++ < per_class)
      chosen.push_back(static_cast<Index>(i));
  }
  return chosen;
}

TEST(Embedded, IsTheBeginningOfEachOfficialClass) {
  const std::filesystem::path directory = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(directory))
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  const Context context;
  const DataSet complete = open_dataset(context, directory);
  const DataSet embedded = embedded_dataset();
  const auto train = subset(complete.train, first_of_each_class(complete.train->labels(), 200));
  const auto test = subset(complete.test, first_of_each_class(complete.test->labels(), 100));
  EXPECT_EQ(fingerprint(context, *embedded.train), fingerprint(context, *train));
  EXPECT_EQ(fingerprint(context, *embedded.test), fingerprint(context, *test));
}

}  // namespace
}  // namespace krica
