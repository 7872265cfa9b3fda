// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "data/decoding_room.hpp"
#include "files.hpp"
#include "krica/data/dataset.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

using support::Folder;
using support::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Index kMebibyte = Index{1} << 20;

Context budget(Index bytes, int threads = 1) {
  return Context({.threads = threads, .memory_bytes = bytes});
}

Bytes plain_png(Index side) {
  return encode_png({{side, side, 1}, Bytes(static_cast<std::size_t>(side * side), 200)});
}

EncodedImage encoded(const Bytes& file) {
  return {file, static_cast<Index>(file.size()), "plain.png", true};
}

/// What opening or reading the image with this budget complains of.
std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

TEST(DecodingRoom, CountsTheFileThePixelsAndWhatTheDecoderHolds) {
  const Bytes file = plain_png(100);
  EXPECT_EQ(decoding_bytes(encoded(file)), std::ssize(file) + 100 * 100 * (1 + 4));
}

TEST(DecodingRoom, RefusesAnImageThatTakesMoreThanHalfOfTheBudgetWithTheLeastThatSuffices) {
  const Folder folder;
  write_file(folder / "a/large.png", plain_png(2000));  // 20 MB decoded
  write_file(folder / "b/small.png", plain_png(20));
  const auto opening = [&](Index bytes, bool skip_bad) {
    return refusal([&] {
      open_dataset(budget(bytes), folder.path(), {.image_size = 8, .skip_bad = skip_bad});
    });
  };
  const auto told = AllOf(HasSubstr("a/large.png"), HasSubstr("2000 x 2000"),
                          HasSubstr("(--memory, memory) of at least 39M, got 38M"));
  EXPECT_THAT(opening(38 * kMebibyte, false), told);
  EXPECT_THAT(opening(38 * kMebibyte, true), HasSubstr("the directory holds no images"));
  EXPECT_EQ(opening(39 * kMebibyte, false), "");
  EXPECT_EQ(opening(39 * kMebibyte, true), "");
  const auto alone = [&](Index bytes) {
    return refusal([&] { read_image(budget(bytes), folder / "a/large.png"); });
  };
  EXPECT_THAT(alone(38 * kMebibyte), HasSubstr("of at least 39M"));
  EXPECT_EQ(alone(39 * kMebibyte), "");
}

TEST(DecodingRoom, LetsThreadsDecodeAtOnceOnlyWhatFits) {
  DecodingRoom room(budget(200));  // room for 100
  std::atomic<Index> inside = 0;
  std::atomic<Index> most = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const Index bytes = i % 10 == 0 ? 1000 : 30 + i % 5;  // one of 1000 must be alone
        room.with_room_for(bytes, [&] {
          const Index now = inside += std::min<Index>(bytes, 100);
          Index before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {
          }
          std::this_thread::yield();
          inside -= std::min<Index>(bytes, 100);
        });
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 200);
  EXPECT_LE(most, 100);
}

TEST(DecodingRoom, IsFreeAgainAfterAnError) {
  DecodingRoom room(budget(200));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(room.with_room_for(100, [] { throw DataError("broken"); }), DataError);
  }
  EXPECT_EQ(room.with_room_for(100, [] { return 7; }), 7);
}

}  // namespace
}  // namespace krica
