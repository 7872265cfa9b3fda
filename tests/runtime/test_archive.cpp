// SPDX-License-Identifier: BSD-3-Clause
//
// What goes into an archive comes out of it, and its bytes are what archive.hpp says.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/archive_files.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

using support::refusal;
using support::same_bits;
using tests::sha256;

Archive reread(const Archive& archive) { return Archive::parse(archive.bytes(), "test"); }

template <class Scalar>
Matrix<Scalar> numbered(Index rows, Index cols) {
  Matrix<Scalar> matrix(rows, cols);
  for (Index e = 0; e < matrix.size(); ++e) matrix.data()[e] = static_cast<Scalar>(7 * e % 251);
  return matrix;
}

template <class Scalar>
class ArchiveOf : public testing::Test {};
using Scalars = testing::Types<float, double, std::int64_t, std::uint8_t>;
TYPED_TEST_SUITE(ArchiveOf, Scalars);

TYPED_TEST(ArchiveOf, KeepsMatricesAndVectors) {
  Archive archive;
  const auto matrix = numbered<TypeParam>(5, 3);
  auto vector = std::vector<TypeParam>{std::numeric_limits<TypeParam>::lowest(), 0, 1,
                                       std::numeric_limits<TypeParam>::max()};
  archive.put("matrix", matrix);
  archive.put("strided", ConstMatrixView<TypeParam>(matrix.data() + 1, 4, 2, 3));
  archive.put_vector<TypeParam>("vector", vector);
  const Archive back = reread(archive);
  EXPECT_TRUE(same_bits(back.matrix<TypeParam>("matrix"), matrix));
  const auto strided = back.matrix<TypeParam>("strided");
  ASSERT_TRUE(strided.rows() == 4 && strided.cols() == 2);
  EXPECT_EQ(strided(2, 1), matrix(2, 2));
  EXPECT_EQ(back.vector<TypeParam>("vector"), vector);
}

TYPED_TEST(ArchiveOf, KeepsEmptyTensorsAndTheirShapes) {
  Archive archive;
  for (const auto& [name, rows, cols] :
       {std::tuple("none", 0, 0), std::tuple("no_rows", 0, 7), std::tuple("no_cols", 9, 0)})
    archive.put(name, Matrix<TypeParam>(rows, cols));
  archive.put_vector<TypeParam>("empty", {});
  const Archive back = reread(archive);
  EXPECT_EQ(back.matrix<TypeParam>("none").size(), 0);
  EXPECT_EQ(back.matrix<TypeParam>("no_rows").cols(), 7);
  EXPECT_EQ(back.matrix<TypeParam>("no_cols").rows(), 9);
  EXPECT_TRUE(back.vector<TypeParam>("empty").empty());
}

TYPED_TEST(ArchiveOf, RefusesOtherNamesTypesAndDimensions) {
  Archive archive;
  archive.put("matrix", numbered<TypeParam>(2, 2));
  archive.put_vector<TypeParam>("vector", std::vector<TypeParam>{1, 2});
  using Other = std::conditional_t<std::is_same_v<TypeParam, float>, double, float>;
  EXPECT_THROW((void)archive.matrix<TypeParam>("missing"), DataError);
  EXPECT_THROW((void)archive.vector<TypeParam>("missing"), DataError);
  EXPECT_THROW((void)archive.matrix<Other>("matrix"), DataError);
  EXPECT_THROW((void)archive.vector<Other>("vector"), DataError);
  EXPECT_THROW((void)archive.matrix<TypeParam>("vector"), DataError);
  EXPECT_THROW((void)archive.vector<TypeParam>("matrix"), DataError);
  EXPECT_THROW((void)archive.text("matrix"), DataError);
}

TEST(Archive, KeepsSpecialNumbersBitForBit) {
  Archive archive;
  const std::vector<double> special = {-0.0, std::nan("0x7"), HUGE_VAL, -HUGE_VAL, 5e-324};
  archive.put_vector<double>("special", special);
  const auto back = reread(archive).vector<double>("special");
  for (std::size_t i = 0; i < special.size(); ++i) EXPECT_TRUE(same_bits(back[i], special[i])) << i;
}

class ArchiveTexts : public testing::TestWithParam<std::string> {};

TEST_P(ArchiveTexts, AreKeptAsTextsAndKeysAndNames) {
  Archive archive;
  archive.put_text("text", GetParam());
  archive.put_text("key " + GetParam(), "value");
  archive.put("name " + GetParam(), numbered<double>(1, 2));
  const Archive back = reread(archive);
  EXPECT_EQ(back.text("text"), GetParam());
  EXPECT_EQ(back.text("key " + GetParam()), "value");
  EXPECT_EQ(back.matrix<double>("name " + GetParam())(0, 1), 7);
}

INSTANTIATE_TEST_SUITE_P(
    Archive, ArchiveTexts,
    testing::Values("", "plain", "\"quoted\"", "back\\slash", "new\nline\r\ttab", "κ(w, x) — ‖w‖²",
                    std::string("zero\0byte", 9), "\x01\x1f\x7f", "{\"json\": [1, 2]}",
                    "\"sha256\":\"" + tests::kZeros + "\"", "\"sha256", "\",\"sha256\":\"",
                    tests::kZeros, std::string(100000, 'x')));

TEST(Archive, KnowsWhatItHolds) {
  Archive archive;
  EXPECT_TRUE(archive.empty());
  archive.put_text("note", "a");
  EXPECT_FALSE(archive.empty());
  archive.put("x", numbered<float>(1, 1));
  EXPECT_TRUE(archive.has("x") && archive.has_text("note"));
  EXPECT_FALSE(archive.has("note") || archive.has_text("x"));
  archive.put("x", numbered<double>(2, 2));  // replaces it, type and all
  EXPECT_EQ(archive.matrix<double>("x").rows(), 2);
  archive.put_text("note", "b");
  EXPECT_EQ(archive.text("note"), "b");
  archive.remove("x");
  archive.remove("x");
  EXPECT_FALSE(archive.has("x"));
  EXPECT_FALSE(reread(archive).has_text("sha256")) << "the checksum is not content";
  EXPECT_TRUE(reread(Archive()).empty());
}

TEST(Archive, EqualContentsAreEqualBytes) {
  Archive a;
  a.put_text("one", "1");
  a.put_text("two", "2");
  a.put("x", numbered<double>(3, 2));
  a.put("W", numbered<float>(2, 2));
  Archive b;
  b.put("W", numbered<double>(1, 1));
  b.put("W", numbered<float>(2, 2));
  b.put("x", numbered<double>(3, 2));
  b.put_text("two", "2");
  b.put_text("one", "1");
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(reread(a).bytes(), a.bytes());
  b.put_text("one", "1 ");
  EXPECT_NE(a.bytes(), b.bytes());
}

/// Byte for byte: length, header (sorted, padded to 8), tensors in the order of their names.
TEST(Archive, IsASafetensorsFile) {
  Archive archive;
  archive.put_text("note", "hi");
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  archive.put_vector<std::uint8_t>("b", bytes);
  Matrix<double> x(1, 2);
  x(0, 0) = 1.5;
  x(0, 1) = -2;
  archive.put("x", x);
  std::string header =
      R"({"__metadata__":{"note":"hi",@},"b":{"data_offsets":[0,3],"dtype":"U8","shape":[3]},)"
      R"("x":{"data_offsets":[3,19],"dtype":"F64","shape":[1,2]}})";
  const std::size_t written = header.size() - 1 + std::string(R"("sha256":"")").size() + 64;
  header.append((8 - written % 8) % 8, ' ');
  std::string data("\x01\x02\x03", 3);
  data.append(reinterpret_cast<const char*>(x.data()), 16);
  EXPECT_EQ(archive.bytes(), tests::sealed(header, data));
}

TEST(Archive, TheChecksumIsOfTheFileWithItsDigitsZero) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Archive archive;
  archive.put("W", numbered<float>(20, 30));  // sorts before __metadata__
  archive.put_text("note", "text");
  std::string file = archive.bytes();
  const std::size_t at = file.find(R"("sha256":")") + 10;
  const std::string digits = file.substr(at, 64);
  file.replace(at, 64, tests::kZeros);
  EXPECT_EQ(digits, sha256(file));
}

TEST(Archive, RefusesWhatAFileCannotHold) {
  const auto written = [](auto&& fill) {
    return refusal([&] {
      Archive archive;
      fill(archive);
      (void)archive.bytes();
    });
  };
  EXPECT_NE(
      written([](Archive& a) { a.put("__metadata__", Matrix<double>(1, 1)); }).find("__metadata__"),
      std::string::npos);
  EXPECT_NE(written([](Archive& a) { a.put_text("sha256", "mine"); }).find("sha256"),
            std::string::npos);
  EXPECT_FALSE(written([](Archive& a) { a.put_text("note", "\xff\xfe"); }).empty());
  EXPECT_FALSE(written([](Archive& a) { a.put_text("\xc3(", "note"); }).empty());
  EXPECT_FALSE(written([](Archive& a) { a.put("\xff", Matrix<double>(1, 1)); }).empty());
  EXPECT_NE(
      written([](Archive& a) { a.put_text("long", std::string(65U << 20U, 'x')); }).find("header"),
      std::string::npos);
}

TEST(Archive, AScalarIsExactlyOneValue) {
  Archive archive;
  archive.put_scalar("one", 2.5);
  EXPECT_EQ(archive.scalar<double>("one"), 2.5);
  for (const std::vector<double>& values : {std::vector<double>{}, std::vector<double>{1, 2}}) {
    archive.put_vector<double>("some", values);
    try {
      static_cast<void>(archive.scalar<double>("some"));
      ADD_FAILURE() << "a vector of " << values.size() << " passed for a scalar";
    } catch (const DataError& error) {
      EXPECT_EQ(error.what(), fmt::format("[archive] tensor 'some' holds {} value(s), expected 1",
                                          values.size()));
    }
  }
  EXPECT_EQ(archive.vector<double>("some", 2).size(), 2U);
  EXPECT_THROW(static_cast<void>(archive.vector<double>("some", 3)), DataError);
}

}  // namespace
}  // namespace krica
