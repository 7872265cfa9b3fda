// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that open a data set together: they share the work, and fail together where they see
// different files.
#include <gtest/gtest.h>

#include "data/byte_source.hpp"
#include "data/files.hpp"
#include "krica/data/dataset.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using support::Bytes;
using support::Folder;
using support::message_of;
using support::write_file;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kRanks = 3;
using Messages = std::vector<std::string>;

/// What each rank says that opens the path of its own.
template <class Error = DataError>
Messages messages(const std::vector<fs::path>& paths, std::vector<OpenOptions> options = {}) {
  Messages said(kRanks);
  options.resize(kRanks);
  on_ranks(kRanks, {.threads = 1}, [&](const Context& context) {
    const auto rank = static_cast<std::size_t>(context.ranks()->rank());
    said[rank] =
        message_of<Error>([&] { open_dataset(context, paths.at(rank), options.at(rank)); });
  });
  return said;
}

Bytes png(Index side, std::uint64_t seed) {
  return encode_png(support::noise_image({side, side, 1}, seed));
}

/// Two classes of five images.
void write_classes(const fs::path& directory) {
  for (std::uint64_t i = 0; i < 10; ++i)
    write_file(directory / (i < 5 ? "cats" : "dogs") / (std::to_string(i) + ".png"), png(6, i));
}

TEST(SameData, SetsThatAreAlikeAreOpened) {
  const Folder folder;
  write_classes(folder / "a");
  EXPECT_THAT(messages(std::vector(kRanks, folder / "a")), Each(""));
  EXPECT_THAT(messages(std::vector<fs::path>(kRanks, "embedded")), Each(""));
}

TEST(SameData, AFileThatOneRankDoesNotHave) {
  const Folder folder;
  for (const char* name : {"0/d", "1/d", "2/d"}) write_classes(folder / name);
  fs::remove(folder / "1/d/dogs/7.png");
  EXPECT_THAT(messages({folder / "0/d", folder / "1/d", folder / "2/d"}),
              Each(AllOf(HasSubstr("process 1 found 9 files, process 0 found 10 files"),
                         HasSubstr("dogs/7.png is missing on process 1"),
                         HasSubstr("all processes must see the same files"))));
  EXPECT_THAT(messages({folder / "1/d", folder / "1/d", folder / "0/d"}),
              Each(HasSubstr("process 2 found 10 files, process 0 found 9 files (dogs/7.png is "
                             "missing on process 0)")));
}

TEST(SameData, AFileOfAnotherNameOrSize) {
  const Folder folder;
  for (const char* name : {"0", "1"}) write_classes(folder / name);
  write_file(folder / "1/cats/3.png", png(7, 3));
  EXPECT_THAT(messages({folder / "0", folder / "0", folder / "1"}),
              Each(AllOf(HasSubstr("process 2 found other files than process 0 (cats/3.png has"),
                         HasSubstr("bytes on process 2 and"))));
  fs::rename(folder / "1/cats/3.png", folder / "1/cats/33.png");
  EXPECT_THAT(messages({folder / "0", folder / "1", folder / "0"}),
              Each(HasSubstr("process 1 found other files than process 0 (cats/3.png is missing on "
                             "process 1)")));
}

TEST(SameData, OtherFormatsSizesAndLabels) {
  const Folder folder;
  write_classes(folder / "classes");
  write_file(folder / "digits", support::idx_file({4, 6, 6}, 1));
  write_file(folder / "fewer", support::idx_file({3, 6, 6}, 1));
  write_file(folder / "ab", std::string("a\nb\na\nb\n"));
  write_file(folder / "ba", std::string("b\na\nb\na\n"));
  EXPECT_THAT(
      messages({folder / "classes", folder / "digits", folder / "digits"}),
      Each(HasSubstr("process 1 found data of format idx, process 0 found data of format folder")));
  EXPECT_THAT(
      messages({folder / "digits", folder / "digits", folder / "fewer"}),
      Each(HasSubstr("process 2 found 3 training images of 6 x 6 x 1, process 0 found 4 training "
                     "images")));
  const OpenOptions first = {.labels = folder / "ab"};
  EXPECT_THAT(
      messages(std::vector(kRanks, folder / "digits"), {first, {.labels = folder / "ba"}, first}),
      Each(HasSubstr("process 1 found other labels of training data than process 0")));
}

TEST(SameData, OtherOptions) {
  EXPECT_THAT(messages(std::vector<fs::path>(kRanks, "embedded"),
                       {{.test_fraction = 0.1}, {.test_fraction = 0.1}, {.test_fraction = 0.2}}),
              Each(HasSubstr("process 2 was given other options than process 0")));
}

TEST(SameData, ARankThatCannotOpenItsSet) {
  const Folder folder;
  write_classes(folder / "a");
  write_file(folder / "damaged", support::idx_file({4, 6, 6}, 1));
  fs::resize_file(folder / "damaged", 100);
  EXPECT_THAT(messages({folder / "a", folder / "damaged", folder / "a"}),
              Each(HasSubstr("process 1 found data of format idx")));
  EXPECT_THAT(messages(std::vector(kRanks, folder / "damaged")), Each(HasSubstr("truncated")));
  EXPECT_THAT(messages<IoError>({folder / "a", folder / "none", folder / "a"}),
              Each(HasSubstr("none: cannot open")));
}

TEST(SameData, RanksExamineAShareOfTheFilesEach) {
  const Folder folder;
  write_classes(folder / "d");
  write_file(folder / "d/cats/2.jpg", std::string("no picture"));
  write_file(folder / "d/dogs/photo.heic", std::string("something"));
  Bytes cut = png(6, 9);
  cut.resize(cut.size() - 25);
  write_file(folder / "d/dogs/8.png", cut);
  EXPECT_THAT(messages(std::vector(kRanks, folder / "d")),
              Each(HasSubstr("1 image file cannot be read; --skip-bad (skip_bad) leaves it out: "
                             "cats/2.jpg")));
  const OpenOptions options = {.skip_bad = true};
  const DataSet expected = open_dataset(Context(), folder / "d", options);
  EXPECT_EQ(expected.train->size(), 9);
  std::vector<std::size_t> opened(kRanks);
  on_ranks(kRanks, {.threads = 1}, [&](const Context& context) {
    const OpenedFiles files;
    const DataSet data = open_dataset(context, folder / "d", options);
    opened[static_cast<std::size_t>(context.ranks()->rank())] = files.files().size();
    EXPECT_EQ(data.notes, expected.notes);
    EXPECT_EQ(data.train->labels(), expected.train->labels());
    ASSERT_EQ(data.train->size(), expected.train->size());
    Bytes pixels(36);
    Bytes wanted(36);
    for (Index i = 0; i < data.train->size(); ++i) {
      EXPECT_EQ(data.train->item_name(i), expected.train->item_name(i));
      data.train->read(i, 1, pixels.data());
      expected.train->read(i, 1, wanted.data());
      EXPECT_EQ(pixels, wanted);
    }
  });
  EXPECT_EQ(opened, (std::vector<std::size_t>{4, 4, 4}));  // of twelve
}

}  // namespace
}  // namespace krica
