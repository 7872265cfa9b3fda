// SPDX-License-Identifier: BSD-3-Clause
#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_set>

#include "krica/runtime/context.hpp"
#include "runtime/purpose_hash.hpp"

namespace krica {
namespace {

constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

}  // namespace

Random::Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : key_(seed), purpose_(purpose_hash(purpose)), index_(index) {}

void Random::refill() {
  const r123::Philox4x32::ctr_type counter = {{draw_++, purpose_, low(index_), high(index_)}};
  const r123::Philox4x32::key_type key = {{low(key_), high(key_)}};
  const auto words = r123::Philox4x32()(counter, key);
  buffer_[0] = words[0] | (std::uint64_t{words[1]} << 32U);
  buffer_[1] = words[2] | (std::uint64_t{words[3]} << 32U);
  buffered_ = 2;
}

Random::result_type Random::operator()() {
  if (buffered_ == 0) refill();
  return buffer_[static_cast<std::size_t>(--buffered_)];
}

double Random::uniform() { return static_cast<double>((*this)() >> 11U) * 0x1.0p-53; }

double Random::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - u is in (0, 1]
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

Index Random::below(Index bound) {
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t rejected = (max() - range + 1) % range;  // 2^64 mod range
  std::uint64_t draw = (*this)();
  while (draw < rejected) draw = (*this)();
  return static_cast<Index>(draw % range);
}

std::vector<Index> random_permutation(Random& random, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.below(i + 1))]);
  }
  return order;
}

std::vector<Index> random_subset(Random& random, Index bound, Index count) {
  // Floyd's algorithm: exactly `count` draws, memory proportional to count.
  std::unordered_set<Index> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  for (Index last = bound - count; last < bound; ++last) {
    if (!chosen.insert(random.below(last + 1)).second) chosen.insert(last);
  }
  std::vector<Index> subset(chosen.begin(), chosen.end());
  std::sort(subset.begin(), subset.end());
  return subset;
}

}  // namespace krica
