// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel loops whose results do not depend on the number of threads: the work is cut into parts
// by sizes alone, and each part writes to its own place. Sums over parts: ordered_reduce.hpp.
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

/// `total` items cut into the fewest parts of at most `largest` items, sizes differing by at most
/// one. With largest >= 3 no part has a single item unless total is 1: OpenBLAS may not repeat its
/// bits for one-row products at other addresses.
class Partition {
 public:
  Partition(Index total, Index largest)
      : total_(total), count_(total == 0 ? 0 : (total + largest - 1) / largest) {}

  [[nodiscard]] Index count() const { return count_; }
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

/// The same, with parts of half the size over the last quarter: threads that finish early find
/// something small to do, instead of waiting for others that have just begun a large part.
class TaperedPartition {
 public:
  TaperedPartition(Index total, Index largest)
      : split_(total * 3 / 4 / largest * largest),
        large_(split_, largest),
        small_(total - split_, std::max<Index>(1, largest / 2)) {}

  [[nodiscard]] Index count() const { return large_.count() + small_.count(); }
  Range operator[](Index part) const {
    if (part < large_.count()) return large_[part];
    const Range range = small_[part - large_.count()];
    return {split_ + range.begin, split_ + range.end};
  }

 private:
  Index split_;
  Partition large_;
  Partition small_;
};

/// About how much a whole loop takes, in multiply-adds of a matrix product, of which a thread does
/// some 20 in a nanosecond. A loop of less than some 100 microseconds stays on the calling thread,
/// and each further thread must have as much to do. Without an estimate the loop runs on all
/// threads of the context: right where an item may read or decode a file.
struct Work {
  double operations = std::numeric_limits<double>::infinity();
};

/// What other operations cost beside a multiply-add in a matrix product.
inline constexpr Index kPerValue = 8;  // a number read, changed and written
inline constexpr Index kPerExp = 24;   // an exponential, logarithm or root, in vectors

/// The product of the factors.
template <class... Factors>
Work work_of(Factors... factors) {
  return {(static_cast<double>(factors) * ...)};
}

/// Runs body(0) ... body(count - 1) on the calling thread and as many others as the context allows
/// and the work is worth; inside another such loop, on the calling thread alone. Polls for
/// cancellation before each and throws Cancelled; rethrows the first exception of a body.
KRICA_EXPORT void parallel_for(const Context& context, Index count, Work work,
                               const std::function<void(Index)>& body);
inline void parallel_for(const Context& context, Index count,
                         const std::function<void(Index)>& body) {
  parallel_for(context, count, Work{}, body);
}

/// Σ a_i b_i in double, eight interleaved partial sums; the same bits wherever the memory lies.
template <class Scalar>
double ordered_dot(const Scalar* a, const Scalar* b, Index count);

/// Σ (a_i - b_i)², as ordered_dot.
template <class Scalar>
double ordered_squared_distance(const Scalar* a, const Scalar* b, Index count);

/// Σ a_i, as ordered_dot.
template <class Scalar>
double ordered_sum(const Scalar* a, Index count);

}  // namespace krica
