// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using ::testing::HasSubstr;

/// An array 0, 1, 2, ...; type '<f4' or '|u1'.
DataSet open(const Folder& folder, const std::vector<Index>& shape, const OpenOptions& options = {},
             const std::string& type = "<f4") {
  std::string sizes;
  Index count = 1;
  for (const Index size : shape) {
    sizes += std::to_string(size) + ", ";
    count *= size;
  }
  std::vector<float> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  Bytes bytes(static_cast<std::size_t>(count) * (type == "<f4" ? 4 : 1));
  if (type == "<f4") std::memcpy(bytes.data(), numbers.data(), bytes.size());
  support::write_file(
      folder / "x.npy",
      support::npy_file(
          "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }", bytes));
  return open_dataset(Context(), folder / "x.npy", options);
}

const OpenOptions kSignals = {.format = DataFormat::kSignals};

TEST(Signals, HoldChannelAfterChannel) {
  const Folder folder;
  const DataSet data = open(folder, {2, 3, 2}, kSignals);
  EXPECT_EQ(data.format, DataFormat::kSignals);
  const SampleSetInfo& info = data.train_samples->info();
  EXPECT_EQ(info.cols, 6);
  EXPECT_EQ(info.channels, 2);
  EXPECT_EQ(info.steps(), 3);
  std::vector<double> row(6);
  data.train_samples->read(1, 1, row.data());
  EXPECT_EQ(row, (std::vector<double>{6, 8, 10, 7, 9, 11}));
  std::vector<float> narrow(12);
  data.train_samples->read(0, 2, narrow.data());
  EXPECT_EQ(narrow, (std::vector<float>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
  EXPECT_EQ(subset(data.train_samples, {1})->info().channels, 2);
  EXPECT_EQ(as_images(data.train_samples)->info().signal_channels, 2);
}

TEST(Signals, OneChannelNeedsNoThirdDimension) {
  const Folder folder;
  const DataSet data = open(folder, {2, 3}, kSignals);
  EXPECT_EQ(data.train_samples->info().channels, 1);
  EXPECT_EQ(data.format, DataFormat::kSignals);
  EXPECT_EQ(open(folder, {2, 3}).format, DataFormat::kNpy);
  EXPECT_THAT(message_of<DataError>([&] {
                open(folder, {2, 3, 4, 1}, kSignals);
              }),
              HasSubstr("(N, T) or (N, T, C) for signals"));
}

TEST(Signals, AreToldFromImagesByTheirShape) {
  const Folder folder;
  for (const std::vector<Index>& shape :
       {std::vector<Index>{2, 100, 3}, {2, 9, 1}, {2, 9, 7}, {2, 90, 10}}) {
    const DataSet data = open(folder, shape);
    ASSERT_TRUE(data.is_samples());
    EXPECT_EQ(data.format, DataFormat::kSignals);
    EXPECT_EQ(data.train_samples->info().channels, shape[2]);
    EXPECT_THAT(data.notes.at(0), HasSubstr("--format npy reads images"));
    EXPECT_FALSE(open(folder, shape, {.format = DataFormat::kNpy}).is_samples());
    EXPECT_FALSE(open(folder, shape, {}, "|u1").is_samples());
  }
  for (const std::vector<Index>& shape : {std::vector<Index>{2, 8, 8}, {2, 64, 8}, {2, 28, 28}}) {
    const DataSet data = open(folder, shape);
    EXPECT_FALSE(data.is_samples());
    EXPECT_TRUE(data.notes.empty());
  }
  EXPECT_THAT(open(folder, {2, 3, 100}).notes.at(0), HasSubstr("transpose the array"));
}

}  // namespace
}  // namespace krica
