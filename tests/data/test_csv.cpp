// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/files.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Folder;
using support::message_of;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

/// A file of its own for every text.
class Csv : public ::testing::Test {
 protected:
  SampleSetPtr open(const std::string& text, const OpenOptions& options = {},
                    const std::string& name = "x.csv") {
    support::write_file(folder_ / name, text);
    return open_dataset(Context(), folder_ / name, options).train_samples;
  }

  std::string message(const std::string& text, const OpenOptions& options = {}) {
    return message_of<DataError>([&] { open(text, options); });
  }

  Folder folder_;
};

std::vector<double> values(const SampleSetPtr& set) {
  std::vector<double> all(static_cast<std::size_t>(set->rows() * set->cols()));
  set->read(0, set->rows(), all.data());
  return all;
}

TEST_F(Csv, ReadsNumbersWithAndWithoutHeader) {
  const std::vector<double> expected = {1, -2.5, 3000, .25};
  for (const char* text : {"1,-2.5\n3e3,.25\n", "a,b\n1,-2.5\n3e3,.25", "1;-2.5\r\n3e3;.25\r\n",
                           "1\t-2.5\n+3e3\t.25\n",
                           "\xef\xbb\xbf"
                           "a,b\n\n1 , -2.5\n\"3e3\",.25\n\n"}) {
    const SampleSetPtr set = open(text);
    EXPECT_EQ(values(set), expected) << text;
    EXPECT_TRUE(set->labels().empty()) << text;
  }
  EXPECT_EQ(open("a,b\n1,2\n")->info().column_names, (Names{"a", "b"}));
  EXPECT_TRUE(open("1,2\n3,4\n")->info().column_names.empty());
  EXPECT_EQ(values(open("# made by hand\n 1  2\n3\t4 \n", {}, "x.txt")),
            (std::vector<double>{1, 2, 3, 4}));
  std::vector<float> floats(2);
  open("1,2\n3,4\n")->read(1, 1, floats.data());
  EXPECT_EQ(floats, (std::vector<float>{3, 4}));
}

TEST_F(Csv, FindsTheLabelColumn) {
  for (const char* text : {"w,h,Class\n1,2,b\n3,4,a\n", "1,2,b\n3,4,a\n", "b,1,2\na,3,4\n",
                           "w,species,h\n1,b,2\n3,a,4\n"}) {
    const OpenOptions options = {.label_column = std::string(text).starts_with("w,s") ? "2" : ""};
    const SampleSetPtr set = open(text, options);
    EXPECT_EQ(values(set), (std::vector<double>{1, 2, 3, 4})) << text;
    EXPECT_EQ(set->labels(), (std::vector<int>{1, 0})) << text;
    EXPECT_EQ(set->class_names(), (Names{"a", "b"})) << text;
    EXPECT_EQ(set->info().label_type, LabelType::kText);
  }
  EXPECT_EQ(open("w,y,h\n1,7,2\n3,-7,4\n")->class_names(), (Names{"-7", "7"}));
  EXPECT_EQ(open("w,y,h\n1,7,2\n3,-7,4\n")->info().column_names, (Names{"w", "h"}));
  EXPECT_EQ(open("w,y,h\n1,7,2\n3,-7,4\n", {.label_column = "none"})->cols(), 3);
  EXPECT_EQ(open("0,1,label\n1,2,1.0\n3,4,2\n")->class_names(), (Names{"1", "2"}));
}

TEST_F(Csv, QuotesFollowRfc4180) {
  const SampleSetPtr set =
      open("\"w\"\"idth\",label\n1,\"T-shirt, \"\"top\"\"\"\n2,\"two\nlines\"\n");
  EXPECT_EQ(set->info().column_names, (Names{"w\"idth"}));
  EXPECT_EQ(set->class_names(), (Names{"T-shirt, \"top\"", "two\nlines"}));
  EXPECT_THAT(message("a,label\n1,\"x\n2,y\n"), HasSubstr("line 2: a quote is not closed"));
  EXPECT_THAT(message("a,label\n1,\"x\"y\n"), HasSubstr("line 2: text after a closing quote"));
}

TEST_F(Csv, LeavesOutRowNames) {
  const SampleSetPtr set = open(",0,1,species\n0,1,2,a\n1,3,4,b\n");
  EXPECT_EQ(values(set), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(set->info().column_names, (Names{"0", "1"}));
  EXPECT_EQ(set->class_names(), (Names{"a", "b"}));
}

TEST_F(Csv, RefusesBadValuesWithLineAndColumn) {
  EXPECT_THAT(message("a,b\n1,2\n3,\n"), HasSubstr("line 3, column 2 ('b'): the value is missing"));
  EXPECT_THAT(message(",2\n3,4\n"), HasSubstr("line 1, column 1: the value is missing"));
  EXPECT_THAT(message("a,b\n1,2,x\n"), HasSubstr("line 2 has 3 fields"));
  EXPECT_THAT(message("1,2\n\n3,nan\n"), HasSubstr("line 3, column 2: nan is not finite"));
  EXPECT_THAT(message("1,2\n3,inf\n"), HasSubstr("line 2, column 2: inf is not finite"));
  EXPECT_THAT(message("1,2\n3,n/a\n"), HasSubstr("line 2, column 2: 'n/a' is not a number"));
  EXPECT_THAT(message("1,2\n3,4,5\n"), HasSubstr("line 2 has 3 fields, the first line has 2"));
  EXPECT_THAT(message("1,\"2\n\n3\"\n4\n"), HasSubstr("line 4 has 1 fields"));
  EXPECT_THAT(message("a,label\n1,x\n2,\n"), HasSubstr("line 3: no label"));
  EXPECT_THAT(message("a,b,c\n1,x,2\n"), HasSubstr("column 2 ('b') holds 'x'"));
  EXPECT_THAT(message("a,b\nx,y\n"), HasSubstr("column 1 holds 'a'"));
  EXPECT_THAT(message("label,class\n1,2\n"), HasSubstr("could both hold the labels"));
  EXPECT_THAT(message("a,b\n1,2\n", {.label_column = "z"}), HasSubstr("the 2 columns are a, b"));
  EXPECT_THAT(message("1,2\n", {.label_column = "3"}), HasSubstr("columns are 1 to 2"));
  EXPECT_THAT(message("a,y\n1,0.5\n2,1\n"), HasSubstr("label 0.5 at position 0 is not an integer"));
  EXPECT_THAT(message("a,y\n"), HasSubstr("a header, but no samples"));
  EXPECT_THAT(message("\n\n"), HasSubstr("the file is empty"));
  EXPECT_THAT(message("\xff\xfe"
                      "1,2"),
              HasSubstr("UTF-16"));
  EXPECT_THAT(message(std::string("1,2\n3,\0\n", 8)), HasSubstr("line 2: a NUL byte"));
}

TEST_F(Csv, StaysWithinTheMemoryBudget) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "1,2,3,4,5,6,7,8,9,0\n";
  support::write_file(folder_ / "x.csv", text);
  const Context context({.memory_bytes = 4 << 20});
  EXPECT_THAT(message_of<DataError>([&] { open_dataset(context, folder_ / "x.csv"); }),
              HasSubstr("half of the memory budget"));
}

TEST_F(Csv, TakesLabelsFromAFileInstead) {
  support::write_file(folder_ / "y.csv", std::string("label\n\"a, b\"\nc\n"));
  const SampleSetPtr set = open("1,2\n3,4\n", {.labels = folder_ / "y.csv"});
  EXPECT_EQ(set->class_names(), (Names{"a, b", "c"}));
  support::write_file(folder_ / "y.csv", std::string("a\n"));
  EXPECT_THAT(message("1,2\n3,4\n", {.labels = folder_ / "y.csv"}),
              HasSubstr("1 labels for the 2 samples of x.csv"));
  EXPECT_THROW(open("1,2\n", {.labels = folder_ / "y.csv", .label_column = "1"}), InvalidArgument);
}

TEST_F(Csv, ReadsADirectory) {
  support::write_file(folder_ / "train.csv", std::string("w,h,y\n1,2,1\n3,4,2\n5,6,3\n"));
  support::write_file(folder_ / "test.csv", std::string("w,h,y\n1,2,3\n"));
  const DataSet data = open_dataset(Context(), folder_.path());
  EXPECT_EQ(data.format, DataFormat::kCsv);
  EXPECT_EQ(data.test_samples->labels(), (std::vector<int>{2}));
  EXPECT_EQ(data.test_samples->class_names(), (Names{"1", "2", "3"}));
  const auto said = [&](const char* text) {
    support::write_file(folder_ / "test.csv", std::string(text));
    return message_of<DataError>([&] { open_dataset(Context(), folder_.path()); });
  };
  EXPECT_THAT(said("w,h,y\n1,2,4\n"), HasSubstr("class '4' occurs in the test part"));
  EXPECT_THAT(said("w,y\n1,2\n"), HasSubstr("1 columns of numbers, but train.csv has 2"));
  EXPECT_THAT(said("w,d,y\n1,2,3\n"),
              HasSubstr("column 'd' does not match column 'h' of train.csv"));
}

TEST_F(Csv, NotesWhatItAssumes) {
  support::write_file(folder_ / "x.csv", std::string("1,2\n3,4\n"));
  EXPECT_THAT(open_dataset(Context(), folder_ / "x.csv").notes.at(0), HasSubstr("no label column"));
  support::write_file(folder_ / "x.csv", std::string(",a,y\n0,4,1\n1,4,2\n"));
  EXPECT_THAT(open_dataset(Context(), folder_ / "x.csv").notes.at(0), HasSubstr("left out column"));
}

TEST_F(Csv, LabelColumnIsForTablesOnly) {
  EXPECT_THROW(open_dataset(Context(), "embedded", {.label_column = "y"}), InvalidArgument);
}

}  // namespace
}  // namespace krica
