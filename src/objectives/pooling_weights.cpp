// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/pooling_weights.hpp"

#include <charconv>
#include <cmath>
#include <set>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "runtime/vector_math.hpp"

namespace krica {
namespace {

std::pair<Index, Index> grid_of(const Pooling& pooling, Index K) {
  if (pooling.grid_rows == 0 && pooling.grid_cols == 0) return nearly_square_grid(K);
  return {pooling.grid_rows, pooling.grid_cols};
}

void validate_topographic(const Pooling& pooling, Index K) {
  const auto [rows, cols] = grid_of(pooling, K);
  require(rows > 0 && cols > 0 && rows * cols == K, "pooling",
          "a grid of {} x {} is not filled by {} atoms", rows, cols, K);
  require(rows >= 2 && cols >= 2, "pooling",
          "{} atoms fill no grid of at least 2 x 2; choose a number of atoms that is not prime", K);
}

void validate_custom(const Pooling& pooling, Index K) {
  require(static_cast<Index>(pooling.weights.size()) == K * K, "pooling",
          "{} weights given, {} x {} needed", pooling.weights.size(), K, K);
  for (std::size_t i = 0; i < pooling.weights.size(); ++i) {
    const double weight = pooling.weights[i];
    require(std::isfinite(weight) && weight >= 0, "pooling",
            "weights must be finite and >= 0, got {} at row {}, column {}", weight,
            static_cast<Index>(i) / K, static_cast<Index>(i) % K);
  }
}

}  // namespace

std::string Pooling::text() const {
  if (kind == PoolingKind::kNone) return "none";
  if (kind == PoolingKind::kTopographic) return "topographic";
  return kind == PoolingKind::kGroups ? std::to_string(group_size) : "custom";
}

Pooling Pooling::from_text(std::string_view text) {
  if (text == "none") return none();
  if (text == "topographic") return topographic();
  Index size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  require(error == std::errc() && end == text.data() + text.size() && size > 0, "options",
          "pooling-groups must be none, topographic or a group size, got '{}'", text);
  return groups(size);
}

std::pair<Index, Index> nearly_square_grid(Index K) {
  Index rows = 1;
  for (Index candidate = 1; candidate * candidate <= K; ++candidate) {
    if (K % candidate == 0) rows = candidate;
  }
  return {rows, K / rows};
}

void Pooling::validate(Index K) const {
  require(K > 0, "pooling", "the number of atoms must be > 0, got {}", K);
  if (kind == PoolingKind::kTopographic) validate_topographic(*this, K);
  if (kind == PoolingKind::kGroups) {
    require(group_size > 0 && K % group_size == 0, "pooling", "groups of {} do not divide {} atoms",
            group_size, K);
  }
  if (kind == PoolingKind::kCustom) validate_custom(*this, K);
}

Matrix<double> pooling_matrix(const Pooling& pooling, Index K) {
  return PoolingWeights(pooling, K).dense();
}

PoolingWeights::PoolingWeights(const Pooling& pooling, Index K)
    : K_(K), identity_(pooling.kind == PoolingKind::kNone) {
  pooling.validate(K);
  if (pooling.kind == PoolingKind::kTopographic) build_neighbourhoods(pooling);
  if (pooling.kind == PoolingKind::kGroups) build_groups(pooling.group_size);
  if (pooling.kind == PoolingKind::kCustom) build_custom(pooling);
}

void PoolingWeights::push_row(std::span<const std::pair<Index, double>> entries) {
  for (const auto& [column, value] : entries) {
    columns_.push_back(column);
    values_.push_back(value);
  }
  offsets_.push_back(static_cast<Index>(columns_.size()));
}

void PoolingWeights::build_neighbourhoods(const Pooling& pooling) {
  const auto [rows, cols] = grid_of(pooling, K_);
  for (Index j = 0; j < K_; ++j) {
    // A set: on a grid of two rows the upper and the lower neighbour are one atom, and count once.
    std::set<Index> neighbours;
    for (Index down = -1; down <= 1; ++down) {
      for (Index right = -1; right <= 1; ++right) {
        const Index row = (j / cols + down + rows) % rows;
        const Index col = (j % cols + right + cols) % cols;
        neighbours.insert(row * cols + col);
      }
    }
    std::vector<std::pair<Index, double>> entries;
    entries.reserve(neighbours.size());
    for (const Index u : neighbours) entries.emplace_back(u, 1.0);
    push_row(entries);
  }
}

void PoolingWeights::build_groups(Index group_size) {
  for (Index j = 0; j < K_; ++j) {
    const Index first = j / group_size * group_size;
    std::vector<std::pair<Index, double>> entries;
    for (Index u = first; u < first + group_size; ++u) entries.emplace_back(u, 1.0);
    push_row(entries);
  }
}

void PoolingWeights::build_custom(const Pooling& pooling) {
  for (Index j = 0; j < K_; ++j) {
    std::vector<std::pair<Index, double>> entries;
    for (Index u = 0; u < K_; ++u) {
      const double value = pooling.weights[static_cast<std::size_t>(j * K_ + u)];
      if (value != 0) entries.emplace_back(u, value);
    }
    push_row(entries);
  }
}

Matrix<double> PoolingWeights::dense() const {
  Matrix<double> H(K_, K_);
  for (Index j = 0; j < K_; ++j) {
    if (identity_) {
      H(j, j) = 1;
      continue;
    }
    for (Index e = offsets_[static_cast<std::size_t>(j)];
         e < offsets_[static_cast<std::size_t>(j) + 1]; ++e) {
      H(j, columns_[static_cast<std::size_t>(e)]) = values_[static_cast<std::size_t>(e)];
    }
  }
  return H;
}

template <class Scalar>
double PoolingWeights::add(const Scalar* s, double epsilon, double weight,
                           std::span<const int> sign, std::span<Scalar> scratch,
                           Scalar* derivative) const {
  const auto eps = static_cast<Scalar>(epsilon);
  const auto lambda = static_cast<Scalar>(weight);
  Scalar* roots = scratch.data();  // sqrt(ε + Σ_u H_ju s_u²), with σ_j
  if (identity_) {
    smooth_l1(s, eps, lambda, roots, sign.empty() ? derivative : nullptr, K_);
    for (std::size_t u = 0; u < sign.size(); ++u) {
      roots[u] *= static_cast<Scalar>(sign[u]);
      if (derivative != nullptr)
        derivative[u] += lambda * s[u] / roots[u];  // σ/|root| = 1/(σ root)
    }
    return ordered_sum(roots, K_);
  }
  for (Index j = 0; j < K_; ++j) {
    Scalar energy = 0;
    const auto first = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(j)]);
    const auto last = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(j) + 1]);
    for (std::size_t e = first; e < last; ++e) {
      energy += static_cast<Scalar>(values_[e]) * s[columns_[e]] * s[columns_[e]];
    }
    const Scalar sigma =
        sign.empty() ? Scalar(1) : static_cast<Scalar>(sign[static_cast<std::size_t>(j)]);
    roots[j] = sigma * std::sqrt(eps + energy);
    if (derivative == nullptr) continue;
    const Scalar factor = lambda / roots[j];
    for (std::size_t e = first; e < last; ++e) {
      derivative[columns_[e]] += factor * static_cast<Scalar>(values_[e]) * s[columns_[e]];
    }
  }
  return ordered_sum(roots, K_);
}

template double PoolingWeights::add(const float*, double, double, std::span<const int>,
                                    std::span<float>, float*) const;
template double PoolingWeights::add(const double*, double, double, std::span<const int>,
                                    std::span<double>, double*) const;

}  // namespace krica
