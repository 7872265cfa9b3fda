// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "data/convert.hpp"
#include "data/files.hpp"
#include "data/workplace.hpp"
#include "support/sift_images.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

DataSet small_embedded(const OpenOptions& options = {}) {
  DataSet data = open_dataset(Context(), "embedded", options);
  data.train = first_images(data.train, 40);
  data.test = first_images(data.test, 20);
  return data;
}

void expect_same(const DataSet& a, const DataSet& b) {
  const Context context;
  EXPECT_EQ(fingerprint(context, *a.train), fingerprint(context, *b.train));
  EXPECT_EQ(fingerprint(context, *a.test), fingerprint(context, *b.test));
  EXPECT_EQ(a.train->class_names(), b.train->class_names());
}

TEST(Convert, CifarAndIdxAndNpyKeepEverything) {
  const Folder folder;
  const Context context;
  const DataSet grey = small_embedded();
  const DataSet colour = small_embedded({.image_size = 32, .channels = 3});
  convert(context, grey, folder / "idx", DataFormat::kIdx);
  expect_same(grey, open_dataset(context, folder / "idx"));
  convert(context, grey, folder / "npy", DataFormat::kNpy);
  expect_same(grey, open_dataset(context, folder / "npy"));
  convert(context, colour, folder / "npy3", DataFormat::kNpy);
  expect_same(colour, open_dataset(context, folder / "npy3"));
  convert(context, colour, folder / "cifar", DataFormat::kCifar10);
  expect_same(colour, open_dataset(context, folder / "cifar"));
}

TEST(Convert, CifarMakesAtMostFiveTrainingFiles) {
  const Folder folder;
  DataSet data = small_embedded({.image_size = 32, .channels = 3});
  std::vector<Index> many(10001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<Index>(i % 40);
  data.train = subset(data.train, many);
  convert(Context(), data, folder / "cifar", DataFormat::kCifar10);
  EXPECT_EQ(std::filesystem::file_size(folder / "cifar/data_batch_1.bin"), 30730000U);
  EXPECT_EQ(std::filesystem::file_size(folder / "cifar/data_batch_2.bin"), 3073U);
}

TEST(Convert, FolderKeepsImagesAndNames) {
  const Folder folder;
  const Context context;
  const DataSet data = small_embedded();
  convert(context, data, folder / "images", DataFormat::kFolder);
  const DataSet again = open_dataset(context, folder / "images");
  EXPECT_EQ(again.train->size(), 40);
  EXPECT_EQ(again.test->size(), 20);
  EXPECT_EQ(again.train->class_names().front(), "Ankle boot");
  const auto& names = again.train->class_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "T-shirt_top"), names.end());
  Bytes first(784);
  Bytes boot(784);
  data.train->read(0, 1, first.data());  // an ankle boot
  again.train->read(0, 1, boot.data());
  EXPECT_EQ(first, boot);
  auto hashes = image_hashes(context, *data.train);
  auto hashes_again = image_hashes(context, *again.train);  // in the order of the class names
  std::sort(hashes.begin(), hashes.end());
  std::sort(hashes_again.begin(), hashes_again.end());
  EXPECT_EQ(hashes, hashes_again);
}

TEST(Convert, FolderKeepsAClassNamedTrain) {
  const Folder folder;
  support::write_file(folder / "in/train/train/1.png",
                      encode_png(support::noise_image({3, 3, 1}, 1)));
  support::write_file(folder / "in/train/test/1.png",
                      encode_png(support::noise_image({3, 3, 1}, 2)));
  const DataSet data = open_dataset(Context(), folder / "in");
  convert(Context(), data, folder / "out", DataFormat::kFolder);
  EXPECT_EQ(open_dataset(Context(), folder / "out").train->class_names(),
            (std::vector<std::string>{"test", "train"}));
}

TEST(Convert, NpyKeepsFloatsAndSamples) {
  const Folder folder;
  const Context context;
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  support::write_file(folder / "s.npy", support::npy_file(head, Bytes(48, 1)));
  const DataSet samples = open_dataset(context, folder / "s.npy");
  convert(context, samples, folder / "npy", DataFormat::kNpy);
  const DataSet again = open_dataset(context, folder / "npy");
  EXPECT_EQ(fingerprint(context, *again.train_samples),
            fingerprint(context, *samples.train_samples));
  EXPECT_THROW(convert(context, samples, folder / "x", DataFormat::kIdx), InvalidArgument);
  const std::string images = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }";
  support::write_file(folder / "i.npy", support::npy_file(images, Bytes(48, 1)));
  const OpenOptions as_images = {.format = DataFormat::kNpy};
  const DataSet floats = open_dataset(context, folder / "i.npy", as_images);
  convert(context, floats, folder / "floats", DataFormat::kNpy);
  EXPECT_EQ(fingerprint(context, *open_dataset(context, folder / "floats", as_images).train),
            fingerprint(context, *floats.train));
  const DataSet signals = open_dataset(context, folder / "i.npy");
  convert(context, signals, folder / "signals", DataFormat::kNpy);
  const DataSet signals_again = open_dataset(context, folder / "signals");
  EXPECT_EQ(signals_again.train_samples->info().channels, 3);
  EXPECT_EQ(fingerprint(context, *signals_again.train_samples),
            fingerprint(context, *signals.train_samples));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { convert(context, floats, folder / "y", DataFormat::kFolder); }),
              HasSubstr("float pixels"));
}

/// Five grey images with the given labels.
DataSet labelled(const Folder& folder, const std::string& labels) {
  const std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 2, 2), }";
  support::write_file(folder / "x.npy", support::npy_file(head, support::noise(20, 1)));
  support::write_file(folder / "y.txt", labels);
  return open_dataset(Context(), folder / "x.npy", {.labels = folder / "y.txt"});
}

TEST(Convert, KeepsTheValuesOfNumericLabels) {
  const Folder folder;
  const Context context;
  const DataSet data = labelled(folder, "7\n1\n200\n7\n1\n");
  const DataSet negative = labelled(folder, "-1\n1\n1\n1\n-1\n");
  for (const DataFormat format : {DataFormat::kNpy, DataFormat::kIdx}) {
    const std::string name(name_of(format));
    convert(context, data, folder / name, format);
    EXPECT_FALSE(std::filesystem::exists((folder / name) / "class_names.txt"));
    const DataSet again = open_dataset(context, folder / name);
    EXPECT_EQ(again.train->class_names(), (std::vector<std::string>{"1", "7", "200"}));
    EXPECT_EQ(again.train->labels(), data.train->labels());
    EXPECT_EQ(again.train->info().label_type, LabelType::kInteger);
    convert(context, negative, folder / (name + "-"), format);
    const DataSet negative_again = open_dataset(context, folder / (name + "-"));
    EXPECT_EQ(negative_again.train->class_names(), (std::vector<std::string>{"-1", "1"}));
    EXPECT_EQ(negative_again.train->labels(), negative.train->labels());
  }
  EXPECT_EQ(support::read_file(folder / "idx/train-labels-idx1-ubyte").back(), 1);
}

TEST(Convert, AnInterruptedConversionLeavesNothingInTheWay) {
  const Folder folder;
  const DataSet data = small_embedded();
  for (const DataFormat format : {DataFormat::kFolder, DataFormat::kNpy, DataFormat::kIdx}) {
    const Context interrupted;
    interrupted.cancel();
    EXPECT_THROW(convert(interrupted, data, folder / "out", format), Cancelled);
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  }
  const Workplace killed("test", folder / "out.krica-part");
  support::write_file(killed / "set/train/Bag/000000.png", std::string("half"));
  convert(Context(), data, folder / "out", DataFormat::kFolder);
  EXPECT_EQ(open_dataset(Context(), folder / "out").train->size(), 40);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.krica-part"));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("train", "test"));
}

/// Only what an unfinished conversion left may be removed.
TEST(Convert, LeavesADirectoryOfTheUserAlone) {
  const Folder folder;
  const DataSet data = small_embedded();
  const auto refusal = [&] {
    return message_of<IoError>([&] { convert(Context(), data, folder / "out", DataFormat::kNpy); });
  };
  support::write_file(folder / "out.krica-part/notes.txt", std::string("own"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("out.krica-part: is in the way"), HasSubstr("move it")));
  EXPECT_TRUE(std::filesystem::exists(folder / "out.krica-part/notes.txt"));
  std::filesystem::rename(folder / "out.krica-part", folder / "own");
  std::filesystem::create_directory_symlink(folder / "own", folder / "out.krica-part");
  EXPECT_THAT(refusal(), HasSubstr("is in the way"));
  std::filesystem::remove(folder / "out.krica-part");
  support::write_file(folder / "out.krica-part", std::string("own"));
  EXPECT_THAT(refusal(), HasSubstr("is in the way"));
  EXPECT_EQ(support::read_file(folder / "out.krica-part").size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder / "own/notes.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Convert, TakesThePlaceOfAnEmptyDirectory) {
  const Folder folder;
  std::filesystem::create_directory(folder / "out");
  convert(Context(), small_embedded(), folder / "out/", DataFormat::kNpy);
  EXPECT_EQ(open_dataset(Context(), folder / "out").train->size(), 40);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder / "here");
  std::filesystem::current_path(folder / "here");
  EXPECT_THAT(
      message_of<IoError>([&] { convert(Context(), small_embedded(), ".", DataFormat::kNpy); }),
      HasSubstr("name a directory in it"));
  std::filesystem::current_path(before);
}

TEST(Convert, RefusesWhatAFormatCannotHold) {
  const Folder folder;
  const Context context;
  const DataSet data = small_embedded();
  const auto said = [&](const DataSet& set, DataFormat format) {
    return message_of<InvalidArgument>([&] { convert(context, set, folder / "out", format); });
  };
  EXPECT_THAT(said(data, DataFormat::kCifar10), HasSubstr("28 x 28 x 1"));
  EXPECT_THAT(said(small_embedded({.channels = 3}), DataFormat::kIdx), HasSubstr("grey"));
  EXPECT_THAT(said(data, DataFormat::kStl10), HasSubstr("cannot write stl10"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  support::write_file(folder / "full/x", std::string("x"));
  EXPECT_THAT(
      message_of<IoError>([&] { convert(context, data, folder / "full", DataFormat::kIdx); }),
      HasSubstr("not empty"));
}

TEST(Convert, WritesImagesThatDifferInSizeToFoldersOnly) {
  const support::Folder folder;
  DataSet data;
  data.train = std::make_shared<support::VariedImages>(
      std::vector<ImageShape>{{20, 31, 3}, {12, 9, 3}}, std::vector<int>{0, 1});
  convert(Context(), data, folder / "images", DataFormat::kFolder);
  const OpenOptions within{.image_size = 0, .image_size_rule = ImageSizeRule::kWithin};
  const DataSet again = open_dataset(Context(), folder / "images", within);
  EXPECT_EQ(fingerprint(Context(), *again.train), fingerprint(Context(), *data.train));
  EXPECT_THROW(convert(Context(), data, folder / "npy", DataFormat::kNpy), InvalidArgument);
}

}  // namespace
}  // namespace krica
