// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using support::Bytes;
using support::operator+;
using support::Folder;
using support::message_of;
using ::testing::HasSubstr;

std::string message(const fs::path& path, const OpenOptions& options = {}) {
  return message_of<DataError>([&] { open_dataset(Context(), path, options); });
}

TEST(Idx, ReadsPlainAndGzip) {
  const Folder folder;
  const Bytes images = support::idx_file({6, 5, 4}, 1);
  support::write_file(folder / "train-images-idx3-ubyte", images);
  support::write_file(folder / "train-labels-idx1-ubyte.gz",
                      support::gzip(support::idx_labels(6, 3)));
  support::write_file(folder / "t10k-images.idx3-ubyte.gz",
                      support::gzip(support::idx_file({2, 5, 4}, 2)));
  support::write_file(folder / "t10k-labels.idx1-ubyte", support::idx_labels(2, 2));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kIdx);
  EXPECT_EQ(data.train->shape(), (ImageShape{5, 4, 1}));
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(data.test->size(), 2);
  Bytes pixels(40);
  data.train->read(3, 2, pixels.data());
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), images.begin() + 16 + 60));
}

TEST(Idx, ReadsOneFileWithLabelsFromElsewhere) {
  const Folder folder;
  support::write_file(folder / "digits", support::idx_file({4, 2, 2}, 1));
  support::write_file(folder / "answers", support::idx_labels(4, 2));
  EXPECT_TRUE(open_dataset(Context(), folder / "digits").train->labels().empty());
  const DataSet data = open_dataset(Context(), folder / "digits", {.labels = folder / "answers"});
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1, 0, 1}));
}

TEST(Idx, ReadsAGzipFileOfSeveralMembers) {
  const Folder folder;
  const Bytes file = support::idx_file({4, 2, 2}, 1);
  const Bytes front(file.begin(), file.begin() + 20);
  const Bytes back(file.begin() + 20, file.end());
  support::write_file(folder / "images.gz", support::gzip(front) + support::gzip(back));
  EXPECT_EQ(open_dataset(Context(), folder / "images.gz").train->size(), 4);
}

TEST(Idx, RefusesADamagedGzipFileAndOneWithSomethingBehindIt) {
  const Folder folder;
  const Bytes file = support::gzip(support::idx_file({4, 32, 32}, 1));
  Bytes damaged = file;
  damaged[file.size() / 2] ^= 1;  // a stored byte: only the checksum tells
  support::write_file(folder / "damaged.gz", damaged);
  EXPECT_THAT(message(folder / "damaged.gz"),
              HasSubstr("broken gzip stream (incorrect data check)"));
  support::write_file(folder / "more.gz", file + Bytes(20, 'x'));
  EXPECT_THAT(message(folder / "more.gz"),
              HasSubstr("broken gzip stream (incorrect header check)"));
}

TEST(Idx, RefusesHugeHeadersWithoutAllocating) {
  const Folder folder;
  Bytes file = support::idx_file({2, 2, 2}, 1);
  for (std::size_t i = 4; i < 16; ++i) file[i] = 0xff;
  support::write_file(folder / "huge", file);
  EXPECT_THAT(message(folder / "huge"), HasSubstr("4294967295 x 4294967295 x 4294967295"));
  support::write_file(folder / "huge.gz", support::gzip(file));
  EXPECT_THAT(message(folder / "huge.gz"), HasSubstr("truncated"));
}

TEST(Idx, RefusesGzipBeyondTheMemoryBudget) {
  const Folder folder;
  support::write_file(folder / "large.gz", support::gzip(support::idx_file({40, 1024, 1024}, 1)));
  const Context context({.memory_bytes = Index{16} << 20});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(context, folder / "large.gz"); }),
              HasSubstr("gunzip"));
}

TEST(Idx, ReadsALargeGzipFileWithoutHoldingIt) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "memory cannot be measured here";
  const Folder folder;
  const Bytes last(std::size_t{1} << 20, 7);
  {
    Bytes images = support::idx_file({1, 1024, 1024}, 1);
    images[7] = 48;
    images.resize(16 + 47 * last.size());
    support::write_file(folder / "large.gz", support::gzip(images + last));
  }
  const support::PeakMemory peak;
  const DataSet data = open_dataset(Context(), folder / "large.gz");
  EXPECT_EQ(data.train->size(), 48);
  Bytes pixels(last.size());
  data.train->read(47, 1, pixels.data());
  EXPECT_EQ(pixels, last);
  EXPECT_LT(peak.bytes(), std::int64_t{12} << 20);
}

TEST(Idx, NamesTheDirectoryWithoutRoomForALargeGzipFile) {
  const Folder folder;
  support::write_file(folder / "large.gz", support::gzip(support::idx_file({12, 1024, 1024}, 1)));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {std::size_t{8} << 20, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said =
      message_of<IoError>([&] { open_dataset(Context(), folder / "large.gz"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(said, HasSubstr("bytes in " + fs::temp_directory_path().string()));
  EXPECT_THAT(said, HasSubstr("set TMPDIR to a larger directory"));
}

TEST(Idx, RefusesOtherGzipFilesBeforeTheyAreUnpacked) {
  const Folder folder;
  Bytes other(std::size_t{40} << 20);
  other[0] = 'x';
  support::write_file(folder / "large.gz", support::gzip(other));
  const Context context({.memory_bytes = Index{16} << 20});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(context, folder / "large.gz"); }),
              HasSubstr("something else"));
}

TEST(Idx, RefusesBadFiles) {
  const Folder folder;
  support::write_file(folder / "train-images-idx3-ubyte", support::idx_file({4, 2, 2}, 1));
  EXPECT_THAT(message(folder.path()), HasSubstr("label file is missing"));
  support::write_file(folder / "train-labels-idx1-ubyte", support::idx_labels(3, 2));
  EXPECT_THAT(message(folder.path()), HasSubstr("3 labels for the 4 images"));
  support::write_file(folder / "train-labels-idx1-ubyte", support::idx_labels(4, 1));
  EXPECT_THAT(message(folder.path()), HasSubstr("one class"));
  EXPECT_NO_THROW(open_dataset(Context(), folder.path(), {.one_class_allowed = true}));
  Bytes floats = support::idx_file({4, 2, 2}, 1);
  floats[2] = 0x0d;
  support::write_file(folder / "train-images-idx3-ubyte", floats);
  EXPECT_THAT(message(folder.path()), HasSubstr("type 0x0d"));
  Bytes cut = support::gzip(support::idx_file({4, 2, 2}, 1));
  cut.resize(cut.size() - 9);
  support::write_file(folder / "train-images-idx3-ubyte", cut);
  EXPECT_THAT(message(folder.path()), HasSubstr("no end"));
  support::write_file(folder / "train-images-idx3-ubyte", support::idx_file({0, 2, 2}, 1));
  EXPECT_THAT(message(folder.path()), HasSubstr("dimension 0 is 0"));
}

TEST(Idx, RefusesPartsOfDifferentSize) {
  const Folder folder;
  support::write_file(folder / "train-images-idx3-ubyte", support::idx_file({4, 2, 2}, 1));
  support::write_file(folder / "train-labels-idx1-ubyte", support::idx_labels(4, 2));
  support::write_file(folder / "t10k-images-idx3-ubyte", support::idx_file({4, 3, 2}, 1));
  support::write_file(folder / "t10k-labels-idx1-ubyte", support::idx_labels(4, 2));
  EXPECT_THAT(message(folder.path()), HasSubstr("image_size and channels make them alike"));
  EXPECT_EQ(open_dataset(Context(), folder.path(), {.image_size = 4}).test->shape(),
            (ImageShape{4, 4, 1}));
  support::write_file(folder / "t10k-labels-idx1-ubyte", support::idx_labels(4, 3));
  EXPECT_THAT(message(folder.path(), {.image_size = 4}),
              HasSubstr("class '2' occurs in the test part, but not in the training part"));
}

TEST(Idx, ReadsTheCompleteFashionMnist) {
  const fs::path directory = "/usr/share/datasets/fashion-mnist";
  if (!fs::exists(directory)) GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  const DataSet data = open_dataset(Context(), directory);
  EXPECT_EQ(data.train->size(), 60000);
  EXPECT_EQ(data.test->size(), 10000);
  EXPECT_EQ(data.train->shape(), (ImageShape{28, 28, 1}));
  std::vector<int> counts(10);
  for (const int label : data.train->labels()) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(counts, std::vector<int>(10, 6000));
}

}  // namespace
}  // namespace krica
