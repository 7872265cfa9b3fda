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

TEST(Cifar, ReadsBatchesInOrder) {
  const Folder folder;
  const Bytes first = support::cifar_records(12, 1, 10, 1);
  const Bytes second = support::cifar_records(5, 1, 10, 100);
  support::write_file(folder / "data_batch_1.bin", first);
  support::write_file(folder / "data_batch_2.bin", second);
  support::write_file(folder / "test_batch.bin", support::cifar_records(3, 1, 3, 7));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kCifar10);
  ASSERT_EQ(data.train->size(), 17);
  EXPECT_EQ(data.test->size(), 3);
  EXPECT_EQ(data.train->shape(), (ImageShape{32, 32, 3}));
  EXPECT_EQ(data.train->class_names()[3], "cat");
  EXPECT_EQ(data.train->labels()[11], 1);
  EXPECT_EQ(data.train->labels()[12], 0);
  Bytes pixels(3072 * 4);
  data.train->read(10, 4, pixels.data());  // over the border of the two files
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.begin() + 3072, first.begin() + 10 * 3073 + 1));
  EXPECT_TRUE(std::equal(pixels.begin() + 3 * 3072, pixels.end(), second.begin() + 3073 + 1));
}

TEST(Cifar, ReadsASingleFile) {
  const Folder folder;
  support::write_file(folder / "part.bin", support::cifar_records(4, 1, 2, 1));
  EXPECT_EQ(open_dataset(Context(), folder / "part.bin").train->size(), 4);
}

TEST(Cifar, ReadsFineAndCoarseLabels) {
  const Folder folder;
  Bytes records = support::cifar_records(3, 2, 3, 1);
  records[0] = 19;
  records[1] = 99;
  support::write_file(folder / "train.bin", records);
  support::write_file(folder / "fine_label_names.txt", [] {
    std::string names;
    for (int i = 0; i < 100; ++i) names += "fine" + std::to_string(i) + "\n";
    return names;
  }());
  const DataSet fine = open_dataset(Context(), folder.path());
  EXPECT_EQ(fine.format, DataFormat::kCifar100);
  EXPECT_EQ(fine.train->labels(), (std::vector<int>{99, 1, 2}));
  EXPECT_EQ(fine.train->class_names()[99], "fine99");
  const DataSet coarse = open_dataset(Context(), folder.path(), {.coarse_labels = true});
  EXPECT_EQ(coarse.train->labels(), (std::vector<int>{19, 1, 2}));
  EXPECT_EQ(coarse.train->classes(), 20);
  EXPECT_EQ(open_dataset(Context(), folder / "train.bin").format, DataFormat::kCifar100);
}

TEST(Cifar, RefusesTruncatedFiles) {
  const Folder folder;
  Bytes records = support::cifar_records(10, 1, 10, 1);
  records.pop_back();
  support::write_file(folder / "data_batch_1.bin", records);
  EXPECT_EQ(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
            "[cifar] data_batch_1.bin: 30729 bytes is not a multiple of 3073");
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder / "data_batch_1.bin"); }),
              HasSubstr("30729 bytes is not a multiple of 3073"));
  support::write_file(folder / "data_batch_1.bin", Bytes{});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("empty"));
}

TEST(Cifar, RefusesLabelsBeyondTheClasses) {
  const Folder folder;
  Bytes records = support::cifar_records(3, 1, 3, 1);
  records[2 * 3073] = 10;
  support::write_file(folder / "data_batch_1.bin", records);
  EXPECT_EQ(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
            "[cifar] data_batch_1.bin: label 10 of record 2 is beyond 9");
}

TEST(Cifar, RefusesATestFileAlone) {
  const Folder folder;
  support::write_file(folder / "test_batch.bin", support::cifar_records(3, 1, 3, 1));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("no training file"));
}

TEST(CifarPng, ReadsStrips) {
  const Folder folder;
  const Image train = support::noise_image({4, 1024, 3}, 1);  // four images
  support::write_file(folder / "data_batch_1.png", encode_png(train));
  support::write_file(folder / "train_lables.json", std::string("[3,1,4,1]"));
  support::write_file(folder / "test_batch.png", encode_png(support::noise_image({2, 1024, 3}, 2)));
  support::write_file(folder / "test_lables.json", std::string("[0,9]"));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kCifar10Png);
  ASSERT_EQ(data.train->size(), 4);
  EXPECT_EQ(data.train->labels(), (std::vector<int>{3, 1, 4, 1}));
  EXPECT_EQ(data.test->labels(), (std::vector<int>{0, 9}));
  Bytes pixels(3072);
  data.train->read(2, 1, pixels.data());
  EXPECT_EQ(pixels[0], train.pixels[2 * 1024]);                      // red
  EXPECT_EQ(pixels[1024 + 33], train.pixels[4096 + 2 * 1024 + 33]);  // green, second row
}

TEST(CifarPng, RefusesWrongStripsAndLabels) {
  const Folder folder;
  support::write_file(folder / "data_batch_1.png", encode_png(support::noise_image({4, 10, 3}, 1)));
  support::write_file(folder / "train_lables.json", std::string("[1,2]"));
  const auto message = [&] {
    return message_of<DataError>([&] { open_dataset(Context(), folder.path()); });
  };
  EXPECT_THAT(message(), HasSubstr("a strip has rows of 1024"));
  support::write_file(folder / "data_batch_1.png",
                      encode_png(support::noise_image({4, 1024, 3}, 1)));
  EXPECT_THAT(message(), HasSubstr("2 labels for 4 images"));
  support::write_file(folder / "train_lables.json", std::string("[1,2,3,10]"));
  EXPECT_THAT(message(), HasSubstr("position 3"));
  support::write_file(folder / "train_lables.json", std::string("{"));
  EXPECT_THAT(message(), HasSubstr("not a JSON list"));
}

}  // namespace
}  // namespace krica
