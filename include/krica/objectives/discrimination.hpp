// SPDX-License-Identifier: BSD-3-Clause
//
// The class-aware term α d(s) of d-kRICA, d-RICA and DRICA, per sample with label y:
//   sum reading      d = (Σ_{u∉y} s_u)² - (Σ_{u∈y} s_u)² + η ‖s‖²
//   select reading   d = Σ_{u∉y} s_u² - Σ_{u∈y} s_u² + η ‖s‖²
// where u∈y are the atoms of class y. DRICA drops the negative term (homogeneous = false).
// The paper writes the sum reading (its D± are row vectors); "select" is what its prose suggests.
// Strictly convex in s iff η > k (sum) or η > 1 (select), k the atoms of a class.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

enum class DiscriminationReading { kSum, kSelect };
std::string_view name_of(DiscriminationReading reading);
DiscriminationReading discrimination_reading(std::string_view name);

struct Discrimination {
  double weight = 0;  ///< α >= 0; 0 switches the term off, and labels are not needed
  DiscriminationReading reading = DiscriminationReading::kSum;
  std::optional<double> elastic =
      std::nullopt;         ///< η >= 0; unset: k+1 (sum), 2 (select), 0 (not homogeneous)
  bool homogeneous = true;  ///< false: DRICA

  /// Classes of the atoms, K values; empty: K/c consecutive atoms a class, K a multiple of c.
  std::vector<int> atom_class = {};

  void validate() const;
};

/// The classes of K atoms among n_classes, and the elastic weight that `discrimination` comes to.
std::vector<int> atom_classes(const Discrimination& discrimination, Index K, int n_classes);
double elastic_weight(const Discrimination& discrimination, std::span<const int> atom_class,
                      int n_classes);

/// 1 + the largest label. Throws InvalidArgument for a negative label, a class below the largest
/// without a sample, one class only, or a number of labels other than n_samples.
int count_classes(std::span<const int> labels, Index n_samples);

}  // namespace krica
