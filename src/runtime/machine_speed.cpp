// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/machine_speed.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/blas.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

using Clock = std::chrono::steady_clock;

// Rounds of about a millisecond, so that most of them are not interrupted.
constexpr double kSecondsPerRate = 0.01;

// The shapes of the library's own loops: tiles of patches against some hundred atoms.
constexpr Index kTileRows = 256;
constexpr Index kAtoms = 400;
constexpr Index kValues = 108;
constexpr Index kTilesPerThread = 4;
constexpr Index kRowsPerLoop = 4 * kTileRows;
constexpr Index kStreamFloats = Index{1} << 22;  // exceeds a core's own cache

Matrix<float> some_numbers(Index rows, Index cols) {
  Matrix<float> matrix(rows, cols);
  matrix.view().setConstant(0.5F);
  return matrix;
}

/// The rate exceeded by a quarter of repeated rounds, each doing `amount`: this ignores programs
/// that briefly occupy a processor, but not those that slow everything down. Excludes the first
/// round, which wakes threads and fills caches.
double rate_of(double amount, const std::function<void()>& round) {
  round();
  std::vector<double> rates;
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  do {
    const Clock::time_point before = now;
    round();
    now = Clock::now();
    // The clock may not advance between two readings.
    const double seconds = std::max(1e-9, std::chrono::duration<double>(now - before).count());
    rates.push_back(amount / seconds);
  } while (std::chrono::duration<double>(now - start).count() < kSecondsPerRate);
  const auto quartile = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() * 3 / 4);
  std::nth_element(rates.begin(), quartile, rates.end());
  return *quartile;
}

double product_rate(const Context& context, int threads) {
  const Index tiles = kTilesPerThread * threads;
  const Matrix<float> patches = some_numbers(kTileRows, kValues);
  const Matrix<float> atoms = some_numbers(kAtoms, kValues);
  std::vector<Matrix<float>> codes;
  for (Index t = 0; t < tiles; ++t) codes.emplace_back(kTileRows, kAtoms);
  const auto tile = [&](Index t) {
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, patches, atoms, 0.0F,
                      codes[static_cast<std::size_t>(t)]);
  };
  const double operations = 2.0 * static_cast<double>(tiles * kTileRows * kAtoms * kValues);
  return rate_of(operations, [&] {
    if (threads > 1) return parallel_for(context, tiles, tile);
    for (Index t = 0; t < tiles; ++t) tile(t);
  });
}

double loop_rate(const Context& context) {
  const Index parts = kTilesPerThread * context.threads();
  const Matrix<float> rows = some_numbers(kTileRows, kValues);
  return rate_of(static_cast<double>(parts * kRowsPerLoop * kValues), [&] {
    ordered_reduce(context, parts, [&](Index part) {
      const float* one = rows.row(part % kTileRows);
      double sum = 0;
      for (Index i = 0; i < kRowsPerLoop; ++i)
        sum += ordered_squared_distance(rows.row(i % kTileRows), one, kValues);
      return sum;
    });
  });
}

double reading_rate(const Context& context) {
  const Partition parts(kStreamFloats, kStreamFloats / context.threads());
  const Matrix<float> numbers = some_numbers(1, kStreamFloats);
  return rate_of(static_cast<double>(kStreamFloats) * sizeof(float), [&] {
    ordered_reduce(context, parts.count(), [&](Index p) {
      return static_cast<double>(numbers.view().middleCols(parts[p].begin, parts[p].size()).sum());
    });
  });
}

/// New threads may share a processor until the system has distributed them: waits briefly for that.
void wake_threads(const Context& context) {
  constexpr std::chrono::milliseconds kAtMost{100};
  constexpr double kSpread = 0.8;  // of an ideal speed-up
  const double perfect = product_rate(context, 1) * context.threads();
  const Clock::time_point start = Clock::now();
  while (product_rate(context, context.threads()) < kSpread * perfect &&
         Clock::now() - start < kAtMost) {
  }
}

MachineSpeed measured_once(const Context& context) {
  return {.products = product_rate(context, context.threads()),
          .serial_products = product_rate(context, 1),
          .loops = loop_rate(context),
          .reading = reading_rate(context)};
}

/// The better of two measurements some time apart: a busy machine may delay a program for longer
/// than a measurement. All threads together are at least as fast as one.
MachineSpeed measured(const Context& context) {
  if (context.threads() > 1) wake_threads(context);
  const MachineSpeed a = measured_once(context);
  const MachineSpeed b = measured_once(context);
  const double serial = std::max(a.serial_products, b.serial_products);
  return {.products = std::max({a.products, b.products, serial}),
          .serial_products = serial,
          .loops = std::max(a.loops, b.loops),
          .reading = std::max(a.reading, b.reading)};
}

}  // namespace

MachineSpeed machine_speed(const Context& context) {
  static std::mutex mutex;
  static std::map<int, MachineSpeed> known;  // by the number of threads
  const std::lock_guard lock(mutex);
  const auto found = known.find(context.threads());
  if (found != known.end()) return found->second;
  return known.emplace(context.threads(), measured(context)).first->second;
}

}  // namespace krica
