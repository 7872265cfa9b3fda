// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/group_weights.hpp"

#include <charconv>
#include <cmath>
#include <set>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "runtime/vector_math.hpp"

namespace krica {
namespace {

std::pair<Index, Index> grid_of(const AtomGroups& groups, Index K) {
  if (groups.grid_rows == 0 && groups.grid_cols == 0) return nearly_square_grid(K);
  return {groups.grid_rows, groups.grid_cols};
}

void validate_topographic(const AtomGroups& groups, Index K) {
  const auto [rows, cols] = grid_of(groups, K);
  require(rows > 0 && cols > 0 && rows * cols == K, "pooling-groups",
          "a grid of {} x {} is not filled by {} atoms", rows, cols, K);
  require(
      rows >= 2 && cols >= 2, "pooling-groups",
      "{} atoms do not fill a grid of at least 2 x 2; choose a number of atoms that is not prime",
      K);
}

void validate_custom(const AtomGroups& groups, Index K) {
  require(static_cast<Index>(groups.weights.size()) == K * K, "pooling-groups",
          "{} weights given, {} x {} needed", groups.weights.size(), K, K);
  for (std::size_t i = 0; i < groups.weights.size(); ++i) {
    const double weight = groups.weights[i];
    require(std::isfinite(weight) && weight >= 0, "pooling-groups",
            "weights must be finite and >= 0, got {} at row {}, column {}", weight,
            static_cast<Index>(i) / K, static_cast<Index>(i) % K);
  }
}

}  // namespace

std::string AtomGroups::text() const {
  if (kind == AtomGrouping::kNone) return "none";
  if (kind == AtomGrouping::kTopographic) return "topographic";
  return kind == AtomGrouping::kGroups ? std::to_string(group_size) : "custom";
}

AtomGroups AtomGroups::from_text(std::string_view text) {
  if (text == "none") return none();
  if (text == "topographic") return topographic();
  Index size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  require(error == std::errc() && end == text.data() + text.size() && size > 0, "options",
          "pooling-groups must be none, topographic or a group size, got '{}'", text);
  return of_size(size);
}

std::pair<Index, Index> nearly_square_grid(Index K) {
  Index rows = 1;
  for (Index candidate = 1; candidate * candidate <= K; ++candidate) {
    if (K % candidate == 0) rows = candidate;
  }
  return {rows, K / rows};
}

void AtomGroups::validate(Index K) const {
  require(K > 0, "pooling-groups", "the number of atoms must be > 0, got {}", K);
  if (kind == AtomGrouping::kTopographic) validate_topographic(*this, K);
  if (kind == AtomGrouping::kGroups) {
    require(group_size > 0 && K % group_size == 0, "pooling-groups",
            "groups of {} do not divide {} atoms", group_size, K);
  }
  if (kind == AtomGrouping::kCustom) validate_custom(*this, K);
}

Matrix<double> group_matrix(const AtomGroups& groups, Index K) {
  return GroupWeights(groups, K).dense();
}

GroupWeights::GroupWeights(const AtomGroups& groups, Index K)
    : K_(K), identity_(groups.kind == AtomGrouping::kNone) {
  groups.validate(K);
  if (groups.kind == AtomGrouping::kTopographic) build_neighbourhoods(groups);
  if (groups.kind == AtomGrouping::kGroups) build_groups(groups.group_size);
  if (groups.kind == AtomGrouping::kCustom) build_custom(groups);
}

void GroupWeights::push_row(std::span<const std::pair<Index, double>> entries) {
  for (const auto& [column, value] : entries) {
    columns_.push_back(column);
    values_.push_back(value);
  }
  offsets_.push_back(static_cast<Index>(columns_.size()));
}

void GroupWeights::build_neighbourhoods(const AtomGroups& groups) {
  const auto [rows, cols] = grid_of(groups, K_);
  for (Index j = 0; j < K_; ++j) {
    // A set: on a grid with two rows the upper and lower neighbours are the same atom and count
    // once.
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

void GroupWeights::build_groups(Index group_size) {
  for (Index j = 0; j < K_; ++j) {
    const Index first = j / group_size * group_size;
    std::vector<std::pair<Index, double>> entries;
    for (Index u = first; u < first + group_size; ++u) entries.emplace_back(u, 1.0);
    push_row(entries);
  }
}

void GroupWeights::build_custom(const AtomGroups& groups) {
  for (Index j = 0; j < K_; ++j) {
    std::vector<std::pair<Index, double>> entries;
    for (Index u = 0; u < K_; ++u) {
      const double value = groups.weights[static_cast<std::size_t>(j * K_ + u)];
      if (value != 0) entries.emplace_back(u, value);
    }
    push_row(entries);
  }
}

Matrix<double> GroupWeights::dense() const {
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
double GroupWeights::add(const Scalar* s, double epsilon, double weight, std::span<const int> sign,
                         std::span<Scalar> scratch, Scalar* derivative) const {
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

template double GroupWeights::add(const float*, double, double, std::span<const int>,
                                  std::span<float>, float*) const;
template double GroupWeights::add(const double*, double, double, std::span<const int>,
                                  std::span<double>, double*) const;

}  // namespace krica
