// SPDX-License-Identifier: BSD-3-Clause
//
// Counter-based random numbers (Philox4x32-10; Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011). A stream is named by (seed, purpose, index) and costs nothing to open, so
// every sample, epoch or restart has a stream of its own and results do not depend on the order in
// which threads draw.
//
//   Random random(seed, "kmeans.start", restart);
//   double u = random.uniform();
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

class Random {
 public:
  using result_type = std::uint64_t;  // a UniformRandomBitGenerator

  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Uniform in {0, ..., bound - 1}, without bias. bound must be positive.
  Index below(Index bound);

 private:
  void refill();

  std::uint64_t key_;      // the seed
  std::uint32_t purpose_;  // hash of the purpose's name
  std::uint64_t index_;
  std::uint32_t draw_ = 0;  // counter within the stream
  std::array<std::uint64_t, 2> buffer_{};
  int buffered_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// 0, 1, ..., count - 1 in random order.
std::vector<Index> random_permutation(Random& random, Index count);

/// `count` different indices below `bound`, ascending. Needs count <= bound.
std::vector<Index> random_subset(Random& random, Index bound, Index count);

}  // namespace krica
