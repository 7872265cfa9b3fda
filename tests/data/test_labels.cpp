// SPDX-License-Identifier: BSD-3-Clause
//
// Labels of all formats: numbers keep their values, names are matched between parts.
#include <gtest/gtest.h>

#include <cstring>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using support::npy_file;
using support::write_file;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

std::string header(const std::string& type, int count) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(count) +
         ",), }";
}

template <class Number>
Bytes raw(const std::vector<Number>& numbers) {
  Bytes bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// Three samples with labels from a file.
class LabelFiles : public ::testing::Test {
 protected:
  template <class Content>
  SampleSetPtr open(const std::string& name, const Content& labels) {
    write_file(folder_ / "x.npy",
               npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", Bytes(24)));
    write_file(folder_ / name, labels);
    return open_dataset(Context(), folder_ / "x.npy", {.labels = folder_ / name}).train_samples;
  }

  Folder folder_;
};

void expect_labels(const SampleSetPtr& set, const Names& names, const std::vector<int>& labels,
                   LabelType type) {
  EXPECT_EQ(set->class_names(), names);
  EXPECT_EQ(set->labels(), labels);
  EXPECT_EQ(set->info().label_type, type);
}

TEST_F(LabelFiles, NumbersKeepTheirValues) {
  const auto npy = [](const std::string& type, const Bytes& numbers) {
    return npy_file(header(type, 3), numbers);
  };
  expect_labels(open("y.npy", npy("<i8", raw<std::int64_t>({3, 1, 2}))), {"1", "2", "3"}, {2, 0, 1},
                LabelType::kInteger);
  expect_labels(open("y.npy", npy("<i4", raw<std::int32_t>({1, -1, 1}))), {"-1", "1"}, {1, 0, 1},
                LabelType::kInteger);
  expect_labels(open("y.npy", npy("<f8", raw<double>({10, 7, 10}))), {"7", "10"}, {1, 0, 1},
                LabelType::kInteger);
  expect_labels(open("y.npy", npy("|b1", {1, 0, 1})), {"False", "True"}, {1, 0, 1},
                LabelType::kBoolean);
  expect_labels(open("y.npy", npy("<i8", raw<std::int64_t>({5, 1LL << 40, 5}))),
                {"5", "1099511627776"}, {0, 1, 0}, LabelType::kInteger);
  Bytes idx = support::idx_labels(3, 3);
  idx.back() = 9;
  expect_labels(open("y.idx", idx), {"0", "1", "9"}, {0, 1, 2}, LabelType::kInteger);
}

TEST_F(LabelFiles, TextIsReadFromLinesAndStrings) {
  expect_labels(open("y.txt", std::string("dog\nAnkle boot\r\ndog\n")), {"Ankle boot", "dog"},
                {1, 0, 1}, LabelType::kText);
  expect_labels(open("y.csv", std::string("class\n2\n10\n2.0\n")), {"2", "10"}, {0, 1, 0},
                LabelType::kInteger);
  expect_labels(
      open("y.npy", npy_file(header("|S3", 3), {'d', 'o', 'g', 'c', 'a', 't', 'd', 'o', 'g'})),
      {"cat", "dog"}, {1, 0, 1}, LabelType::kText);
  expect_labels(open("y.npy", npy_file(header("<U2", 3),
                                       raw<std::uint32_t>({0xe4, 0x1f600, 'b', 0, 'b', 0}))),
                {"b", "ä😀"}, {1, 0, 0}, LabelType::kText);
  expect_labels(
      open("y.npy", npy_file(header(">U1", 3), {0, 0, 0, 'x', 0, 0, 0, 'y', 0, 0, 0, 'x'})),
      {"x", "y"}, {0, 1, 0}, LabelType::kText);
}

TEST_F(LabelFiles, RefusesWhatIsNoLabel) {
  const auto said = [&](const std::string& name, const auto& content) {
    return message_of<DataError>([&] { open(name, content); });
  };
  EXPECT_THAT(said("y.txt", std::string("1\n0.5\n2\n")), HasSubstr("label 0.5 at position 1"));
  EXPECT_THAT(said("y.txt", std::string("a\nb\n")), HasSubstr("2 labels for the 3 rows"));
  EXPECT_THAT(said("y.csv", std::string("a,1\nb,2\nc,3\n")), HasSubstr("line 1 has 2 fields"));
  EXPECT_THAT(said("y.txt", std::string()), HasSubstr("no labels"));
  EXPECT_THAT(said("y.npy", npy_file(header("<f8", 3), raw<double>({0, .5, 1}))),
              HasSubstr("position 1 is not an integer"));
  EXPECT_THAT(said("y.npy", npy_file(header("<U1", 3), raw<std::uint32_t>({1, 0xffffffff, 1}))),
              HasSubstr("position 1 is not Unicode"));
  EXPECT_THAT(said("y.npy", npy_file(header("<U99999999999", 3), {})), HasSubstr("broken header"));
  write_file(folder_ / "t.npy",
             npy_file("{'descr': '|S1', 'fortran_order': False, 'shape': (1, 2)}", {'a', 'b'}));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder_ / "t.npy"); }),
              HasSubstr("only labels may be text"));
}

TEST_F(LabelFiles, ClassNamesNameValuesByPosition) {
  write_file(folder_ / "class_names.txt", std::string("zero\none\ntwo\nthree\n"));
  expect_labels(open("y.txt", std::string("1\n3\n1\n")), {"zero", "one", "two", "three"}, {1, 3, 1},
                LabelType::kText);
  EXPECT_THAT(message_of<DataError>([&] { open("y.txt", std::string("1\n4\n1\n")); }),
              HasSubstr("label 4 at position 1, but class_names.txt has 4 names"));
}

TEST(LabelParts, AreMatchedByName) {
  const Folder folder;
  const auto images = [](int count) {
    return npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(count) +
                        ", 2, 2), }",
                    Bytes(static_cast<std::size_t>(4 * count)));
  };
  const auto labels = [](const std::vector<std::int64_t>& values) {
    return npy_file(header("<i8", static_cast<int>(values.size())), raw(values));
  };
  write_file(folder / "train_x.npy", images(3));
  write_file(folder / "train_y.npy", labels({1, 2, 5}));
  write_file(folder / "test_x.npy", images(2));
  write_file(folder / "test_y.npy", labels({5, 2}));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.test->labels(), (std::vector<int>{2, 1}));
  EXPECT_EQ(data.test->class_names(), (Names{"1", "2", "5"}));
  write_file(folder / "test_y.npy", labels({5, 3}));
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("test_y.npy: class '3' occurs in the test part, but not in the training"));
  std::filesystem::remove(folder / "train_y.npy");
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(Context(), folder.path()); }),
              HasSubstr("the training part has none"));
}

TEST(LabelParts, OptionIsForSingleFilesOnly) {
  const Folder folder;
  write_file(folder / "y.txt", std::string("1\n"));
  EXPECT_THROW(open_dataset(Context(), "embedded", {.labels = folder / "y.txt"}), InvalidArgument);
}

TEST(LabelParts, FormatsWithNamesHaveTextLabels) {
  EXPECT_EQ(open_dataset(Context(), "embedded").train->info().label_type, LabelType::kText);
}

}  // namespace
}  // namespace krica
