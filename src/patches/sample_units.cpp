// SPDX-License-Identifier: BSD-3-Clause
#include "patches/sample_units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/check.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "samples";
constexpr Index kBlockRows = 1024;
constexpr Index kBlockValues = Index{1} << 19;  // 4 MiB read by a thread at a time

/// The sum over all samples: add(row, sum) adds one of them.
template <class Sum, class Add>
Sum sum_over(const Context& context, const ImageSet& samples, const Sum& zero, Add add) {
  const Index n = samples.shape().values();
  const Partition blocks(samples.size(), std::clamp<Index>(kBlockValues / n, 1, kBlockRows));
  return ordered_reduce<Sum>(
      context, blocks.count(), work_of(samples.size(), n, 2 * kPerValue), [&] { return zero; },
      [&](Index b, Sum& sum) {
        std::vector<double> rows(static_cast<std::size_t>(blocks[b].size() * n));
        samples.read(blocks[b].begin, blocks[b].size(), rows.data());
        for (Index i = 0; i < blocks[b].size(); ++i) add(rows.data() + i * n, sum);
      });
}

struct FeatureSums {
  std::vector<double> values;
  Index rows_with_values = 0;  // other than 0

  static auto members(auto& sums) { return std::tie(sums.values, sums.rows_with_values); }
};

std::vector<double> means_of(const Context& context, const ImageSet& samples) {
  const auto n = static_cast<std::size_t>(samples.shape().values());
  auto sums = sum_over(context, samples, FeatureSums{std::vector<double>(n, 0.0)},
                       [n](const double* x, FeatureSums& sum) {
                         for (std::size_t j = 0; j < n; ++j) sum.values[j] += x[j];
                         const bool any = std::any_of(x, x + n, [](double v) { return v != 0; });
                         sum.rows_with_values += any ? 1 : 0;
                       });
  require(sums.rows_with_values > 0, kName, "every number is 0: there is nothing to learn from");
  for (double& value : sums.values) value /= static_cast<double>(samples.size());
  return std::move(sums.values);
}

/// Mean over the features of their variance.
double variance_of(const Context& context, const ImageSet& samples,
                   const std::vector<double>& mean) {
  const double squares = sum_over(context, samples, 0.0, [&](const double* x, double& sum) {
    for (std::size_t j = 0; j < mean.size(); ++j) sum += (x[j] - mean[j]) * (x[j] - mean[j]);
  });
  return squares / static_cast<double>(samples.size() * samples.shape().values());
}

/// Mean over the rows of the variance within a row.
double row_variance_of(const Context& context, const ImageSet& samples) {
  const Index n = samples.shape().values();
  const double squares = sum_over(context, samples, 0.0, [n](const double* x, double& sum) {
    const double mean = std::accumulate(x, x + n, 0.0) / static_cast<double>(n);
    for (Index j = 0; j < n; ++j) sum += (x[j] - mean) * (x[j] - mean);
  });
  return squares / static_cast<double>(samples.size() * std::max<Index>(1, n - 1));
}

}  // namespace

SampleUnits SampleUnits::of(const Context& context, const ImageSet& samples,
                            const Options& options) {
  SampleUnits units;
  const std::vector<double> mean = means_of(context, samples);
  if (options.centred && !options.by_rows) units.centre = mean;
  if (!options.rescaled) return units;
  const double variance =
      options.by_rows ? row_variance_of(context, samples) : variance_of(context, samples, mean);
  require(std::isfinite(variance), kName, "the numbers are too large to compute their variance");
  if (variance > 0) units.scale = 1 / std::sqrt(variance);
  return units;
}

void SampleUnits::apply(const double* rows, Index count, Index features, float* out) const {
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < features; ++j) {
      const double middle = centre.empty() ? 0.0 : centre[static_cast<std::size_t>(j)];
      *out++ = static_cast<float>(scale * (*rows++ - middle));
    }
  }
}

void SampleUnits::save(Archive& archive) const {
  if (is_identity()) return;
  archive.put_scalar("units.scale", scale);
  if (!centre.empty()) archive.put_vector<double>("units.centre", centre);
}

SampleUnits SampleUnits::load(const Archive& archive) {
  SampleUnits units;
  if (!archive.has("units.scale")) return units;
  units.scale = archive.scalar<double>("units.scale");
  if (!std::isfinite(units.scale) || !(units.scale > 0))
    throw DataError("[samples] the saved scale is not a positive number");
  if (archive.has("units.centre")) units.centre = finite_vector<double>(archive, "units.centre");
  return units;
}

SamplesInUnits::SamplesInUnits(const ImageSet& samples, const SampleUnits& units)
    : ImageSet(samples.info()), samples_(samples), units_(units) {
  const std::size_t centred = units.centre.size();
  require(centred == 0 || static_cast<Index>(centred) == samples.shape().values(), kName,
          "the model was trained on samples of {} values, but these are {}", centred,
          to_text(samples.shape()));
}

void SamplesInUnits::load_bytes(Index first, Index count, std::uint8_t* out) const {
  samples_.read(first, count, out);
}

void SamplesInUnits::load_floats(Index first, Index count, float* out) const {
  if (units_.is_identity()) return samples_.read(first, count, out);
  std::vector<double> rows(static_cast<std::size_t>(count * shape().values()));
  samples_.read(first, count, rows.data());
  units_.apply(rows.data(), count, shape().values(), out);
}

}  // namespace krica
