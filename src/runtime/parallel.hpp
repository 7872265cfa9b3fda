// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel loops whose results do not depend on the number of threads: the work is divided into
// parts by size alone, and each part writes to its own place. For sums over parts see
// ordered_reduce.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

struct Range {
  Index begin = 0;
  Index end = 0;
  [[nodiscard]] Index size() const { return end - begin; }
};

/// Divides `total` items into the fewest parts of at most `largest` items, with sizes differing by
/// at most one. With largest >= 3 no part has a single item unless total is 1: the bits of
/// OpenBLAS's one-row products may depend on addresses.
class Partition {
 public:
  Partition(Index total, Index largest)
      : total_(total), count_(total == 0 ? 0 : (total + largest - 1) / largest) {}

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index total() const { return total_; }
  Range operator[](Index part) const {
    const Index base = total_ / count_;
    const Index extra = total_ % count_;
    const Index begin = part * base + (part < extra ? part : extra);
    return {begin, begin + base + (part < extra ? 1 : 0)};
  }
  /// The size of the largest part.
  [[nodiscard]] Index largest() const { return count_ == 0 ? 0 : (total_ + count_ - 1) / count_; }

 private:
  Index total_;
  Index count_;
};

/// The approximate work of a whole loop, in multiply-adds of a matrix product, of which a thread
/// does about 20 per nanosecond. A loop of less than about 100 microseconds stays on the calling
/// thread, and each additional thread must have that much to do. Without an estimate the loop uses
/// all threads of the context, which is right if an item may read or decode a file.
struct Work {
  double operations = std::numeric_limits<double>::infinity();
};

/// The cost of other operations relative to a multiply-add in a matrix product.
inline constexpr Index kPerValue = 8;  // read, change and write a number
inline constexpr Index kPerExp = 24;   // an exponential, logarithm or root, vectorised

/// The product of the factors.
template <class... Factors>
Work work_of(Factors... factors) {
  return {(static_cast<double>(factors) * ...)};
}

/// Runs body(0) ... body(count - 1) on the calling thread and as many others as the context allows
/// and the work justifies; inside another such loop, only on the calling thread. Checks for
/// cancellation before each item and throws Cancelled; rethrows the first exception of a body.
KRICA_EXPORT void parallel_for(const Context& context, Index count, Work work,
                               const std::function<void(Index)>& body);
inline void parallel_for(const Context& context, Index count,
                         const std::function<void(Index)>& body) {
  parallel_for(context, count, Work{}, body);
}

/// Σ a_i b_i in double, with eight interleaved partial sums; the bits do not depend on alignment.
template <class Scalar>
double ordered_dot(const Scalar* a, const Scalar* b, Index count);

/// Σ (a_i - b_i)², like ordered_dot.
template <class Scalar>
double ordered_squared_distance(const Scalar* a, const Scalar* b, Index count);

/// Σ a_i, like ordered_dot.
template <class Scalar>
double ordered_sum(const Scalar* a, Index count);

}  // namespace krica
