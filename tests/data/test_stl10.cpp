// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using ::testing::HasSubstr;

constexpr std::size_t kImage = 27648;

void write_set(const Folder& folder, const std::string& part, const Bytes& labels) {
  support::write_file(folder / (part + "_X.bin"), support::noise(labels.size() * kImage, 5));
  support::write_file(folder / (part + "_y.bin"), labels);
}

std::string message(const Folder& folder) {
  return message_of<DataError>([&] { open_dataset(Context(), folder.path()); });
}

TEST(Stl10, TransposesAndCountsLabelsFromZero) {
  const Folder folder;
  write_set(folder, "train", {1, 10, 2});
  write_set(folder, "test", {3, 4});
  support::write_file(folder / "unlabeled_X.bin", support::noise(4 * kImage, 6));
  support::write_file(folder / "fold_indices.txt", std::string("0 2 \n1 2\n"));
  support::write_file(
      folder / "class_names.txt",
      std::string("airplane\nbird\ncar\ncat\ndeer\ndog\nhorse\nmonkey\nship\ntruck\n"));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kStl10);
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 9, 1}));
  EXPECT_EQ(data.train->class_names()[9], "truck");
  EXPECT_EQ(data.unlabelled->size(), 4);
  EXPECT_TRUE(data.unlabelled->labels().empty());
  ASSERT_EQ(data.folds.size(), 2U);
  EXPECT_EQ(data.folds[0], (std::vector<Index>{0, 2}));
  const Bytes file = support::read_file(folder / "train_X.bin");
  Bytes pixels(kImage);
  data.train->read(1, 1, pixels.data());
  // Row 3, column 70 of green lies at column · 96 + row in the file.
  EXPECT_EQ(pixels[9216 + 3 * 96 + 70], file[kImage + 9216 + 70 * 96 + 3]);
}

TEST(Stl10, RefusesBadFiles) {
  const Folder folder;
  write_set(folder, "train", {1, 2, 3});
  std::filesystem::remove(folder / "train_y.bin");
  EXPECT_EQ(message(folder), "[stl10] train_y.bin: the label file is missing beside train_X.bin");
  support::write_file(folder / "train_y.bin", Bytes{1, 2});
  EXPECT_THAT(message(folder), HasSubstr("2 labels for the 3 images of train_X.bin"));
  support::write_file(folder / "train_y.bin", Bytes{1, 11, 2});
  EXPECT_THAT(message(folder), HasSubstr("label 11 at position 1 is outside 1 to 10"));
  support::write_file(folder / "train_y.bin", Bytes{1, 0, 2});
  EXPECT_THAT(message(folder), HasSubstr("label 0 at position 1"));
  support::write_file(folder / "train_y.bin", Bytes{1, 3, 2});
  support::write_file(folder / "fold_indices.txt", std::string("0 1\n0 3\n"));
  EXPECT_THAT(message(folder), HasSubstr("line 2"));
  support::write_file(folder / "fold_indices.txt", std::string("0 x\n"));
  EXPECT_THAT(message(folder), HasSubstr("line 1"));
  support::write_file(folder / "train_X.bin", support::noise(3 * kImage + 1, 1));
  EXPECT_THAT(message(folder), HasSubstr("82945 bytes is not a multiple of 27648"));
}

}  // namespace
}  // namespace krica
