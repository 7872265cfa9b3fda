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

TEST(OpenDataset, NamesOfFormats) {
  EXPECT_EQ(data_format("stl10"), DataFormat::kStl10);
  EXPECT_EQ(name_of(DataFormat::kCifar10Png), "cifar10-png");
  EXPECT_THAT(message_of<InvalidArgument>([] { data_format("tiff"); }), HasSubstr("known: auto"));
}

TEST(OpenDataset, SaysWhatItCannotFindOrRecognise) {
  const Folder folder;
  EXPECT_THAT(message_of<IoError>([&] { open_dataset(Context(), folder / "none"); }),
              HasSubstr("none: cannot open: No such file"));
  EXPECT_THAT(message_of<IoError>(
                  [&] { open_dataset(Context(), folder / "none", {.format = DataFormat::kIdx}); }),
              HasSubstr("No such file"));
  support::write_file(folder / "x.txt", std::string("some text"));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder / "x.txt"); }),
              HasSubstr("x.txt: neither CIFAR (9 bytes"));
  support::write_file(folder / "empty", Bytes{});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder / "empty"); }),
              HasSubstr("empty: the file is empty"));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("holds no images"));
}

TEST(OpenDataset, LooksIntoTheDirectoriesOfArchives) {
  const Folder folder;
  support::write_file(folder / "cifar-10-binary.tar.gz", Bytes{1, 2, 3});
  support::write_file(folder / "cifar-10-batches-bin/data_batch_1.bin",
                      support::cifar_records(4, 1, 4, 1));
  EXPECT_EQ(open_dataset(Context(), folder.path()).format, DataFormat::kCifar10);
}

TEST(OpenDataset, FormatCanBeForced) {
  const Folder folder;
  support::write_file(folder / "data_batch_1.bin", support::cifar_records(4, 1, 4, 1));
  EXPECT_THAT(message_of<DataError>(
                  [&] { open_dataset(Context(), folder.path(), {.format = DataFormat::kStl10}); }),
              HasSubstr("train_X.bin is missing"));
  EXPECT_EQ(open_dataset(Context(), folder.path(), {.format = DataFormat::kEmbedded}).format,
            DataFormat::kEmbedded);
}

TEST(OpenDataset, OptionsResizeAndSplit) {
  const OpenOptions options = {.image_size = 14, .channels = 3, .test_fraction = 0.5};
  const DataSet data = open_dataset(Context(), "embedded", options);
  EXPECT_EQ(data.train->shape(), (ImageShape{14, 14, 3}));
  EXPECT_EQ(data.train->size(), 2000);  // it has a test part already
  const Folder folder;
  support::write_file(folder / "data_batch_1.bin", support::cifar_records(40, 1, 4, 1));
  const auto open = [&](std::uint64_t seed) {
    return open_dataset(Context({.seed = seed}), folder.path(), {.test_fraction = 0.2});
  };
  EXPECT_EQ(open(1).test->size(), 8);
  EXPECT_EQ(open(1).train->size(), 32);
  const Context context;
  EXPECT_EQ(fingerprint(context, *open(1).test), fingerprint(context, *open(1).test));
  EXPECT_NE(fingerprint(context, *open(1).test), fingerprint(context, *open(2).test));
}

TEST(OpenDataset, RefusesWrongOptions) {
  EXPECT_THROW(open_dataset(Context(), "embedded", {.image_size = -1}), InvalidArgument);
  EXPECT_THROW(open_dataset(Context(), "embedded", {.channels = 2}), InvalidArgument);
  EXPECT_THROW(open_dataset(Context(), "embedded", {.test_fraction = 1}), InvalidArgument);
}

TEST(OpenDataset, CanBeCancelled) {
  const Folder folder;
  support::write_file(folder / "data_batch_1.bin", support::cifar_records(4, 1, 4, 1));
  const Context context;
  context.cancel();
  EXPECT_THROW(open_dataset(context, folder.path()), Cancelled);
}

}  // namespace
}  // namespace krica
