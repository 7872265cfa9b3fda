// SPDX-License-Identifier: BSD-3-Clause
#include "krica/data/sample_set.hpp"

#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<LabelType, 4> kLabelTypes = {{
    {LabelType::kText, "text"},
    {LabelType::kInteger, "integer"},
    {LabelType::kFloat, "float"},
    {LabelType::kBoolean, "boolean"},
}};

class SampleSubset : public SampleSet {
 public:
  SampleSubset(SampleSetInfo info, SampleSetPtr set, std::vector<Index> indices)
      : SampleSet(std::move(info)), set_(std::move(set)), indices_(std::move(indices)) {}

 private:
  void load(Index first, Index count, float* out) const override { copy(first, count, out); }
  void load(Index first, Index count, double* out) const override { copy(first, count, out); }

  template <class Scalar>
  void copy(Index first, Index count, Scalar* out) const {
    for (Index i = 0; i < count; ++i)
      set_->read(indices_[static_cast<std::size_t>(first + i)], 1, out + i * cols());
  }

  SampleSetPtr set_;
  std::vector<Index> indices_;
};

}  // namespace

std::string_view name_of(LabelType type) { return find_name(kLabelTypes, type); }
LabelType label_type(std::string_view name) { return find_value(kLabelTypes, name, "label type"); }

SampleSet::SampleSet(SampleSetInfo info) : info_(std::move(info)) {
  require(info_.labels.empty() || static_cast<Index>(info_.labels.size()) == info_.rows,
          "sample_set", "{} labels for {} samples", info_.labels.size(), info_.rows);
}

void SampleSet::check_range(Index first, Index count) const {
  require(first >= 0 && count >= 0 && first <= rows() - count, "sample_set.read",
          "rows {} to {} are not in a set of {}", first, first + count - 1, rows());
}

void SampleSet::read(Index first, Index count, float* out) const {
  check_range(first, count);
  if (count > 0) load(first, count, out);
}

void SampleSet::read(Index first, Index count, double* out) const {
  check_range(first, count);
  if (count > 0) load(first, count, out);
}

SampleSetPtr subset(SampleSetPtr set, std::vector<Index> indices) {
  SampleSetInfo info = set->info();
  info.rows = static_cast<Index>(indices.size());
  info.labels.clear();
  for (const Index i : indices) {
    require(i >= 0 && i < set->rows(), "subset", "index {} is not in a set of {}", i, set->rows());
    if (!set->labels().empty()) info.labels.push_back(set->labels()[static_cast<std::size_t>(i)]);
  }
  return std::make_shared<SampleSubset>(std::move(info), std::move(set), std::move(indices));
}

}  // namespace krica
