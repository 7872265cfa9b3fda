// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a folder that are skipped, ignored or broken.
#include <gtest/gtest.h>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using support::write_file;
using ::testing::HasSubstr;

const Bytes kPng = encode_png(support::noise_image({6, 6, 1}, 1));

/// The header is sound, the pixels are missing.
Bytes truncated_jpeg() {
  Bytes file = support::encode_jpeg(support::noise_image({6, 6, 1}, 2), 90);
  file.resize(file.size() - 20);
  return file;
}

std::string message(const Folder& folder, const OpenOptions& options = {}) {
  return message_of<DataError>([&] { open_dataset(Context(), folder.path(), options); });
}

std::vector<std::string> notes(const Folder& folder, const OpenOptions& options = {}) {
  return open_dataset(Context({.threads = 3}), folder.path(), options).notes;
}

TEST(FolderFiles, NamesImagesThatItCannotRead) {
  const Folder folder;
  for (const char* name : {"a/1.png", "b/1.png"}) write_file(folder / name, kPng);
  for (const char* quiet : {"a/Thumbs.db", "a/notes.txt", "b/labels.json", "b/.hidden.gif"})
    write_file(folder / quiet, std::string("something"));
  EXPECT_TRUE(notes(folder).empty());
  for (const char* name : {"a/1.heic", "a/2.HEIC", "b/3.heic"})
    write_file(folder / name, std::string("something"));
  write_file(folder / "b/4.jpg", std::string("GIF89a and so on"));  // by content
  write_file(folder / "b/5", std::string("\0\0\0\x1c"
                                         "ftypavif----",
                                         16));
  EXPECT_EQ(notes(folder), std::vector<std::string>{"skipped 5 files that are not readable images: "
                                                    "3 .heic, 1 .avif, 1 .gif"});
  EXPECT_EQ(open_dataset(Context(), folder.path()).train->size(), 2);
}

TEST(FolderFiles, NamesWhatIsThereInsteadOfImages) {
  const Folder folder;
  write_file(folder / "a/1.png", kPng);
  for (const char* name : {"b/1.gif", "b/2.gif", "b/x.txt", "b/README"})
    write_file(folder / name, std::string("something"));
  EXPECT_THAT(message(folder), HasSubstr("b: the directory holds no images that can be read (2 "
                                         ".gif, 1 .txt, 1 without an ending)"));
}

TEST(FolderFiles, NotesWhatHasNoPlace) {
  const Folder folder;
  for (const char* name : {"a/1.png", "b/1.png", "c.png", "a/deeper/2.png"})
    write_file(folder / name, kPng);
  EXPECT_EQ(notes(folder),
            (std::vector<std::string>{"ignored 1 image file outside the class directories",
                                      "ignored 1 directory inside a class directory"}));
}

TEST(FolderFiles, ListsAllBrokenFilesAtOnce) {
  const Folder folder;
  for (const char* name : {"a/1.png", "b/1.png"}) write_file(folder / name, kPng);
  for (int i = 10; i < 22; ++i)
    write_file(folder / ("a/" + std::to_string(i) + ".jpg"), std::string("no picture"));
  write_file(folder / "b/x.png", Bytes());
  const std::string said = message(folder);
  EXPECT_THAT(said, HasSubstr("13 image files cannot be read; --skip-bad (skip_bad)"));
  EXPECT_THAT(said, HasSubstr("leaves them out: a/10.jpg: not an image"));
  EXPECT_THAT(said, HasSubstr(" a/19.jpg: not an image"));
  EXPECT_THAT(said, Not(HasSubstr("a/20.jpg")));
  EXPECT_THAT(said, HasSubstr("and 3 more"));
  const DataSet data = open_dataset(Context(), folder.path(), {.skip_bad = true});
  EXPECT_EQ(data.train->size(), 2);
  EXPECT_THAT(data.notes.at(0), HasSubstr("skipped 13 image files that cannot be read: a/10.jpg"));
}

TEST(FolderFiles, FindsTruncationWhenAsked) {
  const Folder folder;
  for (const char* name : {"a/1.png", "b/1.png"}) write_file(folder / name, kPng);
  write_file(folder / "b/2.jpg", truncated_jpeg());
  const DataSet lazy = open_dataset(Context(), folder.path());
  EXPECT_EQ(lazy.train->size(), 3);
  Bytes pixels(36);
  const std::string said = message_of<DataError>([&] { lazy.train->read(2, 1, pixels.data()); });
  EXPECT_THAT(said, HasSubstr("b/2.jpg: truncated"));
  EXPECT_THAT(said, HasSubstr("--skip-bad (skip_bad)"));
  const DataSet data = open_dataset(Context(), folder.path(), {.skip_bad = true});
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1}));
  EXPECT_THAT(data.notes.at(0), HasSubstr("skipped 1 image file that cannot be read: b/2.jpg"));
}

TEST(FolderFiles, NeedsAnImageOfEveryClassAfterSkipping) {
  const Folder folder;
  write_file(folder / "a/1.png", kPng);
  write_file(folder / "b/2.jpg", truncated_jpeg());
  EXPECT_THAT(message(folder, {.skip_bad = true}), HasSubstr("b: the directory holds no images"));
}

}  // namespace
}  // namespace krica
