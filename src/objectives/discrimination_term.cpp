// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/discrimination_term.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<DiscriminationReading, 2> kReadings = {{
    {DiscriminationReading::kSum, "sum"},
    {DiscriminationReading::kSelect, "select"},
}};

}  // namespace

std::string_view name_of(DiscriminationReading reading) { return find_name(kReadings, reading); }
DiscriminationReading discrimination_reading(std::string_view name) {
  return find_value(kReadings, name, "discrimination reading");
}

void Discrimination::validate() const {
  require(std::isfinite(weight) && weight >= 0, "discrimination",
          "weight must be finite and >= 0, got {}", weight);
  require(!elastic || (std::isfinite(*elastic) && *elastic >= 0), "discrimination",
          "elastic must be finite and >= 0, got {}", elastic.value_or(0));
}

int count_classes(std::span<const int> labels, Index n_samples) {
  require(!labels.empty(), "discrimination", "there are no labels ({} samples)", n_samples);
  require(static_cast<Index>(labels.size()) == n_samples, "discrimination",
          "{} labels for {} samples", labels.size(), n_samples);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0, "discrimination", "labels must be >= 0, got {} at sample {}", labels[i],
            i);
    require(labels[i] < n_samples, "discrimination",
            "label {} at sample {} leaves classes without samples ({} samples)", labels[i], i,
            n_samples);
  }
  const int n_classes = 1 + *std::max_element(labels.begin(), labels.end());
  require(n_classes >= 2, "discrimination", "at least 2 classes are needed, all labels are {}",
          n_classes - 1);
  std::vector<Index> counts(static_cast<std::size_t>(n_classes), 0);
  for (const int label : labels) ++counts[static_cast<std::size_t>(label)];
  for (int c = 0; c < n_classes; ++c) {
    require(counts[static_cast<std::size_t>(c)] > 0, "discrimination",
            "class {} of 0 ... {} has no sample", c, n_classes - 1);
  }
  return n_classes;
}

std::vector<int> atom_classes(const Discrimination& discrimination, Index K, int n_classes) {
  if (discrimination.atom_class.empty()) {
    require(K % n_classes == 0, "discrimination", "{} atoms cannot be shared evenly by {} classes",
            K, n_classes);
    std::vector<int> classes(static_cast<std::size_t>(K));
    for (Index u = 0; u < K; ++u)
      classes[static_cast<std::size_t>(u)] = static_cast<int>(u / (K / n_classes));
    return classes;
  }
  require(static_cast<Index>(discrimination.atom_class.size()) == K, "discrimination",
          "{} atom classes for {} atoms", discrimination.atom_class.size(), K);
  for (std::size_t u = 0; u < discrimination.atom_class.size(); ++u) {
    const int label = discrimination.atom_class[u];
    require(label >= 0 && label < n_classes, "discrimination",
            "atom {} has class {}, which is not in 0 ... {}", u, label, n_classes - 1);
  }
  return discrimination.atom_class;
}

double elastic_weight(const Discrimination& discrimination, std::span<const int> atom_class,
                      int n_classes) {
  if (discrimination.elastic) return *discrimination.elastic;
  if (!discrimination.homogeneous) return 0;
  if (discrimination.reading == DiscriminationReading::kSelect) return 2;
  std::vector<Index> atoms(static_cast<std::size_t>(n_classes), 0);
  for (const int label : atom_class) ++atoms[static_cast<std::size_t>(label)];
  return static_cast<double>(*std::max_element(atoms.begin(), atoms.end())) + 1;
}

DiscriminationTerm::DiscriminationTerm(const Discrimination& options, Index K,
                                       std::span<const int> labels, Index n_samples)
    : weight_(options.weight), reading_(options.reading), homogeneous_(options.homogeneous) {
  options.validate();
  require(labels.empty() || static_cast<Index>(labels.size()) == n_samples, "discrimination",
          "{} labels for {} samples", labels.size(), n_samples);
  if (!active()) return;
  require(!labels.empty(), "discrimination", "weight {} needs labels, one per sample", weight_);
  const int n_classes = count_classes(labels, n_samples);
  atom_class_ = atom_classes(options, K, n_classes);
  elastic_ = elastic_weight(options, atom_class_, n_classes);
}

template <class Scalar>
double DiscriminationTerm::add(const Scalar* s, int label, Scalar* derivative) const {
  return reading_ == DiscriminationReading::kSum ? add_sum(s, label, derivative)
                                                 : add_select(s, label, derivative);
}

template <class Scalar>
double DiscriminationTerm::add_sum(const Scalar* s, int label, Scalar* derivative) const {
  double own = 0;
  double other = 0;
  double squares = 0;
  for (std::size_t u = 0; u < atom_class_.size(); ++u) {
    const auto s_u = static_cast<double>(s[u]);
    (atom_class_[u] == label ? own : other) += s_u;
    squares += s_u * s_u;
  }
  const double drawn = homogeneous_ ? own : 0;  // the homogeneous sum, which is maximised
  if (derivative != nullptr) {
    for (std::size_t u = 0; u < atom_class_.size(); ++u) {
      const double pull =
          (atom_class_[u] == label ? -drawn : other) + elastic_ * static_cast<double>(s[u]);
      derivative[u] += static_cast<Scalar>(2 * weight_ * pull);
    }
  }
  return weight_ * (other * other - drawn * drawn + elastic_ * squares);
}

template <class Scalar>
double DiscriminationTerm::add_select(const Scalar* s, int label, Scalar* derivative) const {
  const double own_factor = elastic_ - (homogeneous_ ? 1.0 : 0.0);
  const double other_factor = elastic_ + 1.0;
  double value = 0;
  for (std::size_t u = 0; u < atom_class_.size(); ++u) {
    const double factor = atom_class_[u] == label ? own_factor : other_factor;
    const auto s_u = static_cast<double>(s[u]);
    value += factor * s_u * s_u;
    if (derivative != nullptr) derivative[u] += static_cast<Scalar>(2 * weight_ * factor * s_u);
  }
  return weight_ * value;
}

template double DiscriminationTerm::add(const float*, int, float*) const;
template double DiscriminationTerm::add(const double*, int, double*) const;

}  // namespace krica
