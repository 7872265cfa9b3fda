// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using support::Bytes;
using support::Folder;
using support::message_of;
using support::write_file;
using ::testing::HasSubstr;

std::string message(const fs::path& path, const OpenOptions& options = {}) {
  return message_of<DataError>([&] { open_dataset(Context(), path, options); });
}

Image grey(Index height, Index width, std::uint64_t seed) {
  return support::noise_image({height, width, 1}, seed);
}

TEST(ImageFolder, SortsClassesAndFiles) {
  const Folder folder;
  const Image image = grey(4, 5, 1);
  write_file(folder / "zebra/b.png", encode_png(grey(4, 5, 2)));
  write_file(folder / "zebra/a.dat", encode_png(image));  // by content, not by name
  write_file(folder / "Ärger/x y.png", encode_png(grey(4, 5, 3)));
  write_file(folder / "ant/1.png", encode_png(grey(4, 5, 4)));
  write_file(folder / "ant/.hidden.png", std::string("no image"));
  write_file(folder / "ant/README.txt", std::string("notes"));
  write_file(folder / ".git/config.png", std::string("no image"));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kFolder);
  EXPECT_EQ(data.train->class_names(), (std::vector<std::string>{"ant", "zebra", "Ärger"}));
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1, 1, 2}));
  EXPECT_EQ(data.train->shape(), (ImageShape{4, 5, 1}));
  Bytes pixels(20);
  data.train->read(1, 1, pixels.data());
  EXPECT_EQ(pixels, image.pixels);
}

TEST(ImageFolder, MakesAllColourWhereOneIs) {
  const Folder folder;
  const Image plain = grey(4, 4, 1);
  write_file(folder / "a/1.png", encode_png(plain));
  write_file(folder / "b/1.png", encode_png(support::noise_image({4, 4, 3}, 2)));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->shape().channels, 3);
  Bytes pixels(48);
  data.train->read(0, 1, pixels.data());
  EXPECT_TRUE(std::equal(plain.pixels.begin(), plain.pixels.end(), pixels.begin() + 32));
  EXPECT_EQ(open_dataset(Context(), folder.path(), {.channels = 1}).train->shape().channels, 1);
}

TEST(ImageFolder, MixedSizesNeedImageSize) {
  const Folder folder;
  write_file(folder / "a/1.png", encode_png(grey(4, 4, 1)));
  write_file(folder / "b/2.png", encode_png(grey(6, 9, 2)));
  EXPECT_EQ(message(folder.path()),
            "[folder] b/2.png: 9 x 6 pixels, but a/1.png has 4 x 4; --image-size (image_size) "
            "makes them one size, e.g. 32; SIFT (--descriptor sift) reads images of any size");
  for (const auto rule :
       {ImageSizeRule::kSquare, ImageSizeRule::kShorter, ImageSizeRule::kLonger}) {
    const DataSet data =
        open_dataset(Context(), folder.path(), {.image_size = 8, .image_size_rule = rule});
    EXPECT_EQ(data.train->shape(), (ImageShape{8, 8, 1}));
    Bytes pixels(128);
    data.train->read(0, 2, pixels.data());
  }
}

TEST(ImageFolder, ShrinksWithinALimitAndKeepsProportions) {
  const Folder folder;
  const Image small = support::noise_image({4, 7, 3}, 1);
  write_file(folder / "a/1.png", encode_png(small));
  write_file(folder / "a/2.png", encode_png(grey(40, 20, 2)));
  write_file(folder / "b/3.png", encode_png(grey(9, 30, 3)));
  OpenOptions options{.image_size = 16, .image_size_rule = ImageSizeRule::kWithin};
  const ImageSetPtr set = open_dataset(Context(), folder.path(), options).train;
  ASSERT_TRUE(set->varied());
  EXPECT_EQ(set->shape(), (ImageShape{16, 16, 3}));
  EXPECT_EQ(set->shape_of(0), (ImageShape{4, 7, 3}));
  EXPECT_EQ(set->shape_of(1), (ImageShape{16, 8, 3}));
  EXPECT_EQ(set->shape_of(2), (ImageShape{5, 16, 3}));
  EXPECT_EQ(set->item_name(2), "b/3.png");
  EXPECT_EQ(set->info().preparation.longest_side, 16);
  Bytes pixels(static_cast<std::size_t>(2 * set->shape().values()), 99);
  set->read(0, 2, pixels.data());
  EXPECT_TRUE(std::equal(small.pixels.begin(), small.pixels.end(), pixels.begin()));
  EXPECT_TRUE(std::all_of(pixels.begin() + 84, pixels.begin() + 768, [](int p) { return p == 0; }));
  EXPECT_NE(pixels[768 + 16 * 8 * 3 - 1], 0);
  EXPECT_TRUE(
      std::all_of(pixels.begin() + 768 + 16 * 8 * 3, pixels.end(), [](int p) { return p == 0; }));
  options.image_size = 0;  // no limit
  EXPECT_EQ(open_dataset(Context(), folder.path(), options).train->shape_of(1),
            (ImageShape{40, 20, 3}));
  options.image_size.reset();  // 300
  EXPECT_EQ(open_dataset(Context(), folder.path(), options).train->shape(),
            (ImageShape{40, 30, 3}));
  options.channels = 1;
  EXPECT_EQ(open_dataset(Context(), folder.path(), options).train->shape_of(0),
            (ImageShape{4, 7, 1}));
}

TEST(ImageFolder, WithinALimitAloneDoesNotVary) {
  const Folder folder;
  write_file(folder / "a/1.png", encode_png(grey(40, 20, 1)));
  write_file(folder / "b/2.png", encode_png(grey(20, 10, 2)));
  const OpenOptions options{.image_size = 10, .image_size_rule = ImageSizeRule::kWithin};
  const ImageSetPtr set = open_dataset(Context(), folder.path(), options).train;
  EXPECT_FALSE(set->varied());
  EXPECT_EQ(set->shape(), (ImageShape{10, 5, 1}));
}

TEST(ImageFolder, ReadsTrainTestAndUnlabelled) {
  const Folder folder;
  for (const char* file : {"train/a/1.png", "train/b/1.png", "train/b/2.png", "test/b/1.png"})
    write_file(folder / file, encode_png(grey(3, 3, 1)));
  write_file(folder / "unlabelled/1.png", encode_png(grey(3, 3, 1)));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(data.test->labels(), (std::vector<int>{1}));
  EXPECT_EQ(data.unlabelled->size(), 1);
  write_file(folder / "test/c/1.png", encode_png(grey(3, 3, 1)));
  EXPECT_THAT(message(folder.path()), HasSubstr("test/c: the training part has no class 'c'"));
}

TEST(ImageFolder, ReadsImagesWithoutClasses) {
  const Folder folder;
  write_file(folder / "2.png", encode_png(grey(2, 2, 1)));
  write_file(folder / "1.png", encode_png(grey(2, 2, 2)));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->size(), 2);
  EXPECT_TRUE(data.train->labels().empty());
  EXPECT_EQ(open_dataset(Context(), folder / "1.png").train->size(), 1);
}

TEST(ImageFolder, RefusesImagesOfOnePixel) {
  const Folder folder;
  write_file(folder / "1.png", encode_png(grey(1, 1, 1)));
  EXPECT_THAT(message(folder.path()), HasSubstr("images of 1 x 1 pixels"));
}

TEST(ImageFolder, RefusesBadFolders) {
  const Folder folder;
  EXPECT_THAT(message(folder.path()), HasSubstr("the directory is empty"));
  write_file(folder / "a/1.png", encode_png(grey(3, 3, 1)));
  EXPECT_THAT(message(folder.path()), HasSubstr("one class only, 'a'"));
  EXPECT_EQ(open_dataset(Context(), folder.path(), {.one_class_allowed = true}).train->size(), 1);
  fs::create_directory(folder / "b");
  EXPECT_THAT(message(folder.path()), HasSubstr("holds no images"));
  write_file(folder / "b/notes.jpg", std::string("not a picture at all"));
  EXPECT_THAT(message(folder.path()), HasSubstr("b/notes.jpg: not an image"));
  write_file(folder / "b/notes.jpg", std::string());
  EXPECT_THAT(message(folder.path()), HasSubstr("b/notes.jpg: the file is empty"));
}

TEST(ImageFolder, NoticesAFileThatChanged) {
  const Folder folder;
  write_file(folder / "1.png", encode_png(grey(3, 3, 1)));
  const DataSet data = open_dataset(Context(), folder.path());
  write_file(folder / "1.png", encode_png(grey(4, 3, 1)));
  Bytes pixels(9);
  EXPECT_THAT(message_of<DataError>([&] { data.train->read(0, 1, pixels.data()); }),
              HasSubstr("changed"));
  fs::remove(folder / "1.png");
  EXPECT_THROW(data.train->read(0, 1, pixels.data()), IoError);
}

TEST(ImageFolder, SaysWhenItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Folder folder;
  write_file(folder / "a/1.png", encode_png(grey(3, 3, 1)));
  write_file(folder / "b/1.png", encode_png(grey(3, 3, 1)));
  fs::permissions(folder / "b", fs::perms::none);
  EXPECT_THAT(message_of<IoError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("Permission denied"));
  fs::permissions(folder / "b", fs::perms::owner_all);
  fs::permissions(folder.path(), fs::perms::owner_read);  // names, but nothing behind them
  EXPECT_THAT(message_of<IoError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("Permission denied"));
  fs::permissions(folder.path(), fs::perms::owner_all);
  fs::permissions(folder / "b/1.png", fs::perms::none);
  EXPECT_THAT(message_of<IoError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("1.png: cannot open: Permission denied"));
}

TEST(ImageFolder, ReadsTheSameFromManyThreads) {
  const Folder folder;
  for (int i = 0; i < 20; ++i) {
    write_file(
        folder / std::string(i % 2 == 0 ? "a" : "b") / (std::to_string(i) + ".jpg"),
        support::encode_jpeg(support::noise_image({9, 7, 3}, static_cast<std::uint64_t>(i)), 90));
  }
  const DataSet data = open_dataset(Context({.threads = 4}), folder.path());
  EXPECT_EQ(fingerprint(Context({.threads = 1}), *data.train),
            fingerprint(Context({.threads = 4}), *data.train));
}

}  // namespace
}  // namespace krica
