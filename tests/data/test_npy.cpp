// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "data/files.hpp"
#include "data/npy.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using support::Bytes;
using support::Folder;
using support::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string header(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': (" + shape + "), }";
}

template <class Scalar>
Bytes raw(const std::vector<Scalar>& numbers, bool big_endian = false) {
  Bytes bytes(numbers.size() * sizeof(Scalar));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (std::size_t i = 0; big_endian && i < bytes.size(); i += sizeof(Scalar))
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(Scalar)));
  return bytes;
}

std::string message(const fs::path& path, const OpenOptions& options = {}) {
  return message_of<DataError>([&] { open_dataset(Context(), path, options); });
}

std::vector<double> samples(const fs::path& path) {
  const DataSet data = open_dataset(Context(), path);
  std::vector<double> numbers(
      static_cast<std::size_t>(data.train_samples->rows() * data.train_samples->cols()));
  data.train_samples->read(0, data.train_samples->rows(), numbers.data());
  return numbers;
}

TEST(Npy, ReadsAllTypesVersionsAndOrders) {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  const auto check = [&](const std::string& type, const Bytes& bytes, int version = 1) {
    support::write_file(path, support::npy_file(header(type, "2, 3"), bytes, version));
    EXPECT_EQ(samples(path), expected) << type;
  };
  check("<f4", raw<float>({1, 2, 3, 4, 5, 6}), 2);
  check(">f4", raw<float>({1, 2, 3, 4, 5, 6}, true), 3);
  check("<f8", raw<double>({1, 2, 3, 4, 5, 6}));
  check(">f8", raw<double>({1, 2, 3, 4, 5, 6}, true));
  check("|u1", raw<std::uint8_t>({1, 2, 3, 4, 5, 6}));
  check("|i1", raw<std::int8_t>({1, 2, 3, 4, 5, 6}));
  check(">u2", raw<std::uint16_t>({1, 2, 3, 4, 5, 6}, true));
  check("<i4", raw<std::int32_t>({1, 2, 3, 4, 5, 6}));
  check(">i8", raw<std::int64_t>({1, 2, 3, 4, 5, 6}, true));
  check("<u8", raw<std::uint64_t>({1, 2, 3, 4, 5, 6}));
  support::write_file(
      path, support::npy_file(header("<f4", "2, 3", true), raw<float>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(samples(path), expected);
}

TEST(Npy, ReadsImagesOfBytesAndFloats) {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  support::write_file(path, support::npy_file(header("|u1", "2, 1, 2, 3"),
                                              {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  DataSet data = open_dataset(Context(), path);
  EXPECT_EQ(data.train->shape(), (ImageShape{1, 2, 3}));
  Bytes pixels(6);
  data.train->read(1, 1, pixels.data());
  EXPECT_EQ(pixels, (Bytes{7, 10, 8, 11, 9, 12}));
  support::write_file(
      path, support::npy_file(header("<f8", "1, 1, 2, 3"), raw<double>({.5, 1, 2, 3, 4, -5})));
  data = open_dataset(Context(), path);
  EXPECT_EQ(data.train->pixel_type(), PixelType::kFloat32);
  std::vector<float> floats(6);
  data.train->read(0, 1, floats.data());
  EXPECT_EQ(floats, (std::vector<float>{.5F, 3, 1, 4, 2, -5}));
  EXPECT_THROW(data.train->read(0, 1, pixels.data()), InvalidArgument);
  // Column-major: the same images as above.
  support::write_file(path,
                      support::npy_file(header("|u1", "2, 2, 2", true), {1, 5, 3, 7, 2, 6, 4, 8}));
  data = open_dataset(Context(), path);
  Bytes all(8);
  data.train->read(0, 2, all.data());
  EXPECT_EQ(all, (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Npy, RefusesNanWithCountAndPosition) {
  const Folder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  support::write_file(folder / "x.npy",
                      support::npy_file(header("<f4", "2, 3"), raw<float>({1, 2, 3, 4, nan, inf})));
  EXPECT_EQ(message(folder / "x.npy"),
            "[npy] x.npy: 2 numbers are NaN or infinite, the first at [1, 1]");
  // Finite as double, but not as the float that images are read as.
  support::write_file(folder / "x.npy",
                      support::npy_file(header("<f8", "1, 1, 2, 1"), raw<double>({1, 1e300})));
  EXPECT_THAT(message(folder / "x.npy"),
              AllOf(HasSubstr("1 numbers are beyond float32"), HasSubstr("[0, 0, 1, 0]; scale")));
}

TEST(Npy, RefusesBadHeaders) {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  const auto said = [&](const std::string& head) {
    support::write_file(path, support::npy_file(head, Bytes(24)));
    return message(path);
  };
  EXPECT_THAT(said(header("<f4", "4000000000, 4000000000, 4000000000")), HasSubstr("truncated"));
  EXPECT_THAT(said(header("<f4", "99999999999999999999, 1")), HasSubstr("broken header"));
  EXPECT_THAT(said(header("<f4", "7, 1")),
              HasSubstr("header says (7, 1) float32, but there are 24 bytes"));
  EXPECT_THAT(said(header("<c8", "3, 1")), HasSubstr("type '<c8'"));
  EXPECT_THAT(said(header("|O", "3, 1")), HasSubstr("type '|O'"));
  EXPECT_THAT(said(header("<f4", "0, 4")), HasSubstr("empty"));
  EXPECT_THAT(said(header("<f4", "")), HasSubstr("empty"));
  EXPECT_THAT(said(header("<f4", "6")), HasSubstr("(m, n) for samples"));
  EXPECT_THAT(said(header("<f4", "1, 1, 3, 2")), HasSubstr("channels, 1 or 3"));
  EXPECT_THAT(said("{'descr': [('a', '<f4')], }"), HasSubstr("several fields"));
  EXPECT_THAT(said("{'descr': '<f4', 'shape': (1, 2)}"), HasSubstr("broken header"));
  EXPECT_THAT(said("{'descr': '<f4'"), HasSubstr("broken header"));
  support::write_file(path, support::npy_file(header("<f4", "1, 1"), Bytes(4), 9));
  EXPECT_THAT(message(path), HasSubstr("version 9"));
  Bytes file = support::npy_file(header("<f4", "1, 1"), Bytes(4), 2);
  file[11] = 0x7f;  // a header of 2 GB
  support::write_file(path, file);
  EXPECT_THAT(message(path), HasSubstr("the header alone"));
}

TEST(Npy, RefusesColumnMajorBeyondTheBudget) {
  const Folder folder;
  support::write_file(folder / "x.npy",
                      support::npy_file(header("|u1", "1024, 4096", true), Bytes(1024 * 4096)));
  const Context context({.memory_bytes = 4 << 20});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(context, folder / "x.npy"); }),
              HasSubstr("ascontiguousarray"));
}

TEST(Npy, TakesLabelsFromAFile) {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  const fs::path answers = folder / "y.npy";
  support::write_file(path, support::npy_file(header("<f4", "3, 2"), Bytes(24)));
  support::write_file(answers,
                      support::npy_file(header("<i8", "3,"), raw<std::int64_t>({0, 2, 1})));
  EXPECT_EQ(open_dataset(Context(), path, {.labels = answers}).train_samples->labels(),
            (std::vector<int>{0, 2, 1}));
  support::write_file(answers, support::npy_file(header("<f8", "3, 1"), raw<double>({0, 2, 1})));
  EXPECT_EQ(open_dataset(Context(), path, {.labels = answers}).train_samples->classes(), 3);
  const auto said = [&](const Bytes& file) {
    support::write_file(answers, file);
    return message(path, {.labels = answers});
  };
  EXPECT_THAT(said(support::npy_file(header("<i8", "2,"), raw<std::int64_t>({0, 1}))),
              HasSubstr("2 labels for the 3 rows of x.npy"));
  EXPECT_THAT(said(support::npy_file(header("<f8", "3,"), raw<double>({0, .5, std::nan("")}))),
              HasSubstr("position 1"));
  EXPECT_THAT(said(support::npy_file(header("<i8", "3,"), raw<std::int64_t>({1, 1, 1}))),
              HasSubstr("one class"));
  fs::remove(answers);
  EXPECT_THAT(message_of<IoError>([&] { open_dataset(Context(), path, {.labels = answers}); }),
              HasSubstr("label file does not exist"));
}

TEST(Npy, ReadsADirectory) {
  const Folder folder;
  support::write_file(folder / "train_x.npy",
                      support::npy_file(header("|u1", "3, 2, 2"), Bytes(12)));
  support::write_file(folder / "train_y.npy", support::npy_file(header("|u1", "3,"), {0, 1, 2}));
  support::write_file(folder / "test_x.npy", support::npy_file(header("|u1", "1, 2, 2"), Bytes(4)));
  EXPECT_THAT(message(folder.path()), HasSubstr("test_y.npy: the label file is missing"));
  support::write_file(folder / "test_y.npy", support::npy_file(header("|u1", "1,"), {1}));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.format, DataFormat::kNpy);
  EXPECT_EQ(data.train->labels(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(data.test->labels(), (std::vector<int>{1}));
  support::write_file(folder / "test_x.npy", support::npy_file(header("|u1", "1, 4"), Bytes(4)));
  EXPECT_THAT(message(folder.path()), HasSubstr("not both images or samples"));
  fs::remove(folder / "train_x.npy");
  EXPECT_THAT(message(folder.path()), HasSubstr("no train_x.npy"));
}

TEST(NpyWriter, WritesWhatIsReadAgain) {
  const Folder folder;
  const fs::path path = folder / "x.npy";
  {
    NpyWriter<float> file(path, {2, 3});
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    file.write(numbers.data(), 4);
    EXPECT_THROW(file.commit(), InvalidArgument);
    EXPECT_FALSE(fs::exists(path));
    file.write(numbers.data() + 4, 2);
    EXPECT_THROW(file.write(numbers.data(), 1), InvalidArgument);
    file.commit();
  }
  EXPECT_EQ(samples(path), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(support::read_file(path).size(), 128U + 24U);
  { NpyWriter<double> abandoned(folder / "y.npy", {1, 1}); }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW((NpyWriter<float>(folder / "none/x.npy", {1, 1})), IoError);
}

}  // namespace
}  // namespace krica
