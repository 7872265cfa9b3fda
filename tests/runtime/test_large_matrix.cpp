// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

std::int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long total = 0;
  long resident = 0;
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &resident), 2);
  std::fclose(file);
  return std::int64_t{resident} * 4096;
}

TEST(LargeMatrix, HoldsZerosAndWhatIsWritten) {
  for (const std::int64_t budget : {std::int64_t{1} << 16, std::int64_t{1} << 30}) {
    LargeMatrix matrix(Context({.memory_bytes = budget}), 300, 200);
    EXPECT_TRUE((matrix.view().array() == 0).all());
    matrix.row(299)[199] = 5;
    EXPECT_EQ(std::as_const(matrix).view()(299, 199), 5);
  }
}

TEST(LargeMatrix, StaysWithinItsShareAndLosesNothing) {
  const Context context({.threads = 2, .memory_bytes = 16 << 20});
  const std::int64_t before = resident_bytes();
  LargeMatrix matrix(context, 25600, 1024);  // 100 MiB
  std::int64_t most = 0;
  const auto note = [&] { most = std::max(most, resident_bytes() - before); };
  parallel_for(Context({.threads = 1}), matrix.rows(), [&](Index i) {
    for (Index j = 0; j < matrix.cols(); ++j) matrix.row(i)[j] = static_cast<float>(i + j);
    if (i % 256 == 0) note();
  });
  note();
  // Given back between items, at most once in a millisecond: far below the 100 MiB on any machine
  // that does not write 50 MiB in that time.
  if (support::can_measure_memory()) {
    EXPECT_LT(most, 60 << 20);
  }
  for (Index i = 0; i < matrix.rows(); i += 997)
    EXPECT_EQ(std::as_const(matrix).view()(i, 7), static_cast<float>(i + 7));
}

TEST(LargeMatrix, CountsAllThatIsInMemory) {
  const Context context({.memory_bytes = 1 << 20});
  const auto first = large_memory(context, 400 << 10);
  {
    const auto second = large_memory(context, 200 << 10);
    EXPECT_FALSE(first.second);
    EXPECT_TRUE(second.second);  // more than half of the budget together
  }
  EXPECT_FALSE(large_memory(context, 100 << 10).second);
}

TEST(LargeMatrix, GivesRowsHereAndThereWithoutKeepingTheirNeighbours) {
  const Context context({.memory_bytes = 16 << 20});
  LargeMatrix matrix(context, 25600, 1024);  // 100 MiB
  std::vector<Index> rows;
  for (Index i = 0; i < 6400; ++i) rows.push_back(i * 7919 % matrix.rows());
  parallel_for(context, matrix.rows(),
               [&](Index i) { std::fill_n(matrix.row(i), matrix.cols(), static_cast<float>(i)); });
  release_pages();
  const std::int64_t before = resident_bytes();
  const Matrix<float> chosen = rows_at<float>(std::as_const(matrix).view(), rows);
  if (support::can_measure_memory()) {
    EXPECT_LT(resident_bytes() - before, 60 << 20);  // the copies take 25 MiB
  }
  for (std::size_t i = 0; i < rows.size(); i += 101)
    EXPECT_EQ(chosen(static_cast<Index>(i), 5), static_cast<float>(rows[i]));
}

TEST(LargeMatrix, CanBeMadeInAChildForkedAtAnyMoment) {
  const Context context({.memory_bytes = 1 << 16});
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) LargeMatrix(context, 64, 1024);
  });
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);  // ends a child that waits for a lock that nobody holds
      LargeMatrix matrix(context, 64, 1024);
      matrix.row(63)[7] = 1;
      ::_exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    failed += status != 0 ? 1 : 0;
    if (failed > 0) break;
  }
  done = true;
  other.join();
  EXPECT_EQ(failed, 0);
}

TEST(LargeMatrix, IsSharedByCopies) {
  LargeMatrix matrix(Context({.memory_bytes = 1024}), 64, 64);
  LargeMatrix copy = matrix;
  copy.row(3)[4] = 9;
  EXPECT_EQ(std::as_const(matrix).view()(3, 4), 9);
}

}  // namespace
}  // namespace krica
