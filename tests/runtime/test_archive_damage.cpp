// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are no archives, or damaged, or made to mislead: DataError, whatever they hold, and no
// memory taken on their word.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/archive_files.hpp"

namespace {
std::atomic<std::size_t> largest_request{0};  // of memory, by anything in this program
}

// clang's ThreadSanitizer brings its own operator new; nothing is counted there.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(thread_sanitizer)
namespace {
void* counted(std::size_t size) {
  std::size_t largest = largest_request;
  while (size > largest && !largest_request.compare_exchange_weak(largest, size)) {
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace krica {
namespace {

using tests::file_of;
using tests::sealed;

/// The DataError's message; empty where the bytes were taken. Fails where they cost much memory.
std::string refused(const std::string& bytes) {
  largest_request = 0;
  std::string message;
  try {
    (void)Archive::parse(bytes, "bad.safetensors");
  } catch (const DataError& error) {
    message = error.what();
  }
  EXPECT_LT(largest_request, 2 * bytes.size() + 10000);
  if (!message.empty()) {
    EXPECT_EQ(message.find("[archive] bad.safetensors: "), 0U) << message;
  }
  return message;
}

Archive example() {
  Archive archive;
  Matrix<double> x(3, 2);
  x(1, 1) = 0.5;
  archive.put("x", x);
  archive.put_vector<std::int64_t>("counts", std::vector<std::int64_t>{1, 2, 3});
  archive.put_text("note", "two words");
  return archive;
}

TEST(DamagedArchive, CutOffAnywhereIsRefused) {
  const std::string whole = example().bytes();
  ASSERT_TRUE(refused(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(refused(whole.substr(0, length)).empty()) << length;
}

TEST(DamagedArchive, WithBytesTooManyIsRefused) {
  EXPECT_FALSE(refused(example().bytes() + '\0').empty());
  EXPECT_FALSE(refused(example().bytes() + example().bytes()).empty());
}

TEST(DamagedArchive, WithAnyBitFlippedIsRefused) {
  const std::string whole = example().bytes();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(refused(flipped).empty()) << "byte " << bit / 8 << ", bit " << bit % 8;
  }
}

TEST(DamagedArchive, ForeignFilesAreRefused) {
  EXPECT_FALSE(refused("").empty());
  EXPECT_FALSE(refused("\x93NUMPY\x01\x00v0{'descr': '<f8'}").empty());
  EXPECT_FALSE(refused("PK\x03\x04 and so on, as a zip file begins").empty());
  EXPECT_FALSE(refused("\x89PNG\r\n\x1a\n0000IHDR").empty());
  EXPECT_FALSE(refused("just some text, longer than eight bytes").empty());
  EXPECT_FALSE(refused(std::string(1000, '\0')).empty());
  EXPECT_FALSE(refused(std::string(1000, '\xff')).empty());
}

TEST(DamagedArchive, SafetensorsWithoutOurChecksumAreRefused) {
  const std::string tensor = R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_NE(refused(file_of("{" + tensor + "}", "a")).find("checksum"), std::string::npos);
  EXPECT_NE(
      refused(file_of(R"({"__metadata__":{"sha256":"12"},)" + tensor + "}", "a")).find("checksum"),
      std::string::npos);
}

TEST(DamagedArchive, HeaderLengthsBeyondTheFileAreRefused) {
  const std::string whole = example().bytes();
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{whole.size() - 7},
        std::uint64_t{whole.size()}, std::uint64_t{64} << 20U, (std::uint64_t{64} << 20U) + 1,
        std::uint64_t{1} << 40U, std::uint64_t{1} << 63U, ~std::uint64_t{0}, ~std::uint64_t{7}}) {
    std::string file = whole;
    std::memcpy(file.data(), &length, 8);
    EXPECT_FALSE(refused(file).empty()) << length;
  }
}

struct Misleading {
  const char* what;
  std::string header;  // '@' stands for the checksum, which is right
  std::size_t data_bytes = 8;
};

void PrintTo(const Misleading& misleading, std::ostream* out) { *out << misleading.what; }

/// A header whose tensor x has this entry.
std::string with_x(const std::string& entry) { return R"({"__metadata__":{@},"x":)" + entry + "}"; }

std::string nested(int depth) {
  std::string text = R"({"__metadata__":{@},"x":)";
  text.append(static_cast<std::size_t>(depth), '[');
  text.append(static_cast<std::size_t>(depth), ']');
  return text + "}";
}

class MisleadingArchive : public testing::TestWithParam<Misleading> {};

TEST_P(MisleadingArchive, IsRefusedBeyondItsChecksum) {
  const std::string message =
      refused(sealed(GetParam().header, std::string(GetParam().data_bytes, 'd')));
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find("checksum"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Archive, MisleadingArchive,
    testing::Values(
        Misleading{"not an object", R"([{@}])", 0},
        Misleading{"not JSON", R"({"__metadata__":{@},)", 0},
        Misleading{"text after the object", R"({"__metadata__":{@}} x)", 0},
        Misleading{"not UTF-8", "{\"__metadata__\":{@,\"a\":\"\xff\"}}", 0},
        Misleading{"a NUL in the header", std::string("{\"__metadata__\":{@}}\0", 21), 0},
        Misleading{"metadata that is a number", R"({"__metadata__":{@,"a":1}})", 0},
        Misleading{"metadata that is null", R"({"__metadata__":{@,"a":null}})", 0},
        Misleading{"metadata that is an object", R"({"__metadata__":{@,"a":{}}})", 0},
        Misleading{"metadata that is a list", R"({"__metadata__":["x",{@}]})", 0},
        Misleading{"deep lists", nested(5), 0}, Misleading{"very deep lists", nested(200000), 0},
        Misleading{"a tensor that is a number", with_x("7"), 0},
        Misleading{"a tensor that is null", with_x("null"), 0},
        Misleading{"an empty entry", with_x("{}"), 0},
        Misleading{"no dtype", with_x(R"({"shape":[1],"data_offsets":[0,8]})")},
        Misleading{"no shape", with_x(R"({"dtype":"F64","data_offsets":[0,8]})")},
        Misleading{"no offsets", with_x(R"({"dtype":"F64","shape":[1]})")},
        Misleading{"an unknown type",
                   with_x(R"({"dtype":"F16","shape":[4],"data_offsets":[0,8]})")},
        Misleading{"an unknown type without bytes",
                   with_x(R"({"dtype":"F16","shape":[4],"data_offsets":[0,0]})"), 0},
        Misleading{"a type that is a number",
                   with_x(R"({"dtype":64,"shape":[1],"data_offsets":[0,8]})")},
        Misleading{"a shape that is a number",
                   with_x(R"({"dtype":"F64","shape":1,"data_offsets":[0,8]})")},
        Misleading{"a fractional shape",
                   with_x(R"({"dtype":"F64","shape":[1.5],"data_offsets":[0,8]})")},
        Misleading{"a boolean shape",
                   with_x(R"({"dtype":"F64","shape":[true],"data_offsets":[0,8]})")},
        Misleading{"a shape of text",
                   with_x(R"({"dtype":"F64","shape":["1"],"data_offsets":[0,8]})")},
        Misleading{"a negative shape",
                   with_x(R"({"dtype":"F64","shape":[-1],"data_offsets":[0,8]})")},
        Misleading{"two negative shapes",
                   with_x(R"({"dtype":"F64","shape":[-1,-1],"data_offsets":[0,8]})")},
        Misleading{"a shape of 2^63",
                   with_x(R"({"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,8]})")},
        Misleading{"a shape of 2^64",
                   with_x(R"({"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,8]})")},
        Misleading{
            "a size that overflows to 0",
            with_x(R"({"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]})"), 0},
        Misleading{"a size that overflows to 8",
                   with_x(R"({"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})")},
        Misleading{
            "a huge size",
            with_x(
                R"({"dtype":"F64","shape":[1000000,1000000],"data_offsets":[0,8000000000000]})")},
        Misleading{"a size too small",
                   with_x(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})")},
        Misleading{"a size too large",
                   with_x(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})")},
        Misleading{"offsets that go back",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[8,0]})")},
        Misleading{"negative offsets",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[-8,0]})")},
        Misleading{"fractional offsets",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[0.5,8.5]})")},
        Misleading{"offsets of 1e300",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[0,1e300]})")},
        Misleading{"one offset", with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[8]})")},
        Misleading{"three offsets",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[0,8,16]})")},
        Misleading{"offsets beyond the file",
                   with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[8,16]})")},
        Misleading{"bytes of no tensor", R"({"__metadata__":{@}})"},
        Misleading{"a hole before", with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[8,16]})"),
                   16},
        Misleading{"a hole behind", with_x(R"({"dtype":"F64","shape":[1],"data_offsets":[0,8]})"),
                   16},
        Misleading{"an overlap",
                   R"({"__metadata__":{@},"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                   R"("y":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}})",
                   12},
        Misleading{"the same bytes twice",
                   R"({"__metadata__":{@},"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                   R"("y":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})"}));

TEST(MisleadingArchives, EmptyTensorsOfAnyShapeAreTaken) {
  const std::string file =
      sealed(with_x(R"({"dtype":"F64","shape":[0,1000000000000],"data_offsets":[0,0]})"));
  ASSERT_EQ(refused(file), "");
  EXPECT_EQ(Archive::parse(file, "test").matrix<double>("x").cols(), 1000000000000);
}

TEST(MisleadingArchives, TheOrderOfTensorsAndKeysIsFree) {
  const std::string file = sealed(
      R"({"y":{"shape":[1],"data_offsets":[8,9],"dtype":"U8"},)"
      R"("x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"__metadata__":{"a":"b", @}}  )",
      "12345678z");
  ASSERT_EQ(refused(file), "");
  const Archive archive = Archive::parse(file, "test");
  EXPECT_EQ(archive.vector<std::uint8_t>("y").at(0), 'z');
  EXPECT_EQ(archive.text("a"), "b");
}

}  // namespace
}  // namespace krica
