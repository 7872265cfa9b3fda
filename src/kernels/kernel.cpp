// SPDX-License-Identifier: BSD-3-Clause
#include "krica/kernels/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/atom_set.hpp"
#include "kernels/kernel_math.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/names.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr NameTable<KernelKind, 6> kNames = {{
    {KernelKind::kLinear, "linear"},
    {KernelKind::kGaussian, "gaussian"},
    {KernelKind::kPolynomial, "polynomial"},
    {KernelKind::kInverseDistance, "inverse-distance"},
    {KernelKind::kInverseSquareDistance, "inverse-square-distance"},
    {KernelKind::kHistogramIntersection, "histogram-intersection"},
}};

constexpr Index kTileRows = 128;
constexpr Index kGammaPairs = 10000;
constexpr Index kPairsAtATime = 1024;

struct Pair {
  double dot = 0;
  double squared_distance = 0;
};

template <class Scalar>
Pair compare(const Scalar* w, const Scalar* x, Index n) {
  Pair pair;
  for (Index j = 0; j < n; ++j) {
    const auto a = static_cast<double>(w[j]);
    const auto b = static_cast<double>(x[j]);
    pair.dot += a * b;
    pair.squared_distance += (a - b) * (a - b);
  }
  return pair;
}

using Formula = KernelMath<NumberMath<double>>;

template <class Scalar>
void check_shapes(ConstMatrixView<Scalar> samples, ConstMatrixView<Scalar> atoms,
                  MatrixView<Scalar> gram) {
  require(samples.cols() == atoms.cols(), "kernel_matrix", "samples have {} columns, atoms {}",
          samples.cols(), atoms.cols());
  require(gram.rows() == samples.rows() && gram.cols() == atoms.rows(), "kernel_matrix",
          "the result is {} x {}, it must be {} x {}", gram.rows(), gram.cols(), samples.rows(),
          atoms.rows());
}

}  // namespace

std::string_view name_of(KernelKind kind) { return find_name(kNames, kind); }
KernelKind kernel_kind(std::string_view name) { return find_value(kNames, name, "kernel"); }

KernelFamily family_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kLinear:
    case KernelKind::kPolynomial:
      return KernelFamily::kDotProduct;
    case KernelKind::kHistogramIntersection:
      return KernelFamily::kIntersection;
    default:
      return KernelFamily::kDistance;
  }
}

void Kernel::validate() const {
  if (kind == KernelKind::kGaussian) {
    require(std::isfinite(gamma) && gamma > 0, "kernel", "gamma must be finite and > 0, got {}",
            gamma);
  } else if (kind == KernelKind::kPolynomial) {
    require(degree >= 1 && degree <= 32, "kernel", "degree must be 1 to 32, got {}", degree);
  } else if (kind != KernelKind::kLinear) {
    require(std::isfinite(scale) && scale > 0, "kernel", "scale must be finite and > 0, got {}",
            scale);
  }
}

template <class Scalar>
double kernel_value(const Kernel& kernel, const Scalar* w, const Scalar* x, Index n) {
  const Pair pair = compare(w, x, n);
  switch (kernel.kind) {
    case KernelKind::kLinear:
      return pair.dot;
    case KernelKind::kGaussian:
      return std::exp(Formula::gaussian_exponent(pair.squared_distance, kernel.gamma));
    case KernelKind::kPolynomial:
      return Formula::polynomial(pair.dot, kernel.degree);
    case KernelKind::kInverseDistance:
      return Formula::inverse_distance(pair.squared_distance, kernel.scale);
    case KernelKind::kInverseSquareDistance:
      return Formula::inverse_square_distance(pair.squared_distance, kernel.scale);
    case KernelKind::kHistogramIntersection:
      break;
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j)
    sum += std::exp(kernel.scale * static_cast<double>(std::min(w[j], x[j])));
  return sum;
}

template <class Scalar>
void kernel_derivative(const Kernel& kernel, const Scalar* w, const Scalar* x, Index n,
                       double* derivative) {
  const Pair pair = compare(w, x, n);
  const double value = kernel_value(kernel, w, x, n);
  double along_x = 0;  // ∂κ/∂w = along_x · x + along_difference · (w - x)
  double along_difference = 0;
  switch (kernel.kind) {
    case KernelKind::kLinear:
      along_x = 1;
      break;
    case KernelKind::kGaussian:
      along_difference = Formula::gaussian_slope(value, kernel.gamma);
      break;
    case KernelKind::kPolynomial:
      along_x = Formula::polynomial_slope(pair.dot, kernel.degree);
      break;
    case KernelKind::kInverseDistance:
      along_difference =
          Formula::inverse_distance_slope(pair.squared_distance, value, kernel.scale);
      break;
    case KernelKind::kInverseSquareDistance:
      along_difference = Formula::inverse_square_distance_slope(value, kernel.scale);
      break;
    case KernelKind::kHistogramIntersection:
      for (Index j = 0; j < n; ++j) {
        derivative[j] = intersection_slope(w[j], kernel.scale) *
                        static_cast<double>(share_below(w[j], x[j], Scalar(1)));
      }
      return;
  }
  for (Index j = 0; j < n; ++j) {
    const auto x_j = static_cast<double>(x[j]);
    derivative[j] = along_x * x_j + along_difference * (static_cast<double>(w[j]) - x_j);
  }
}

template <class Scalar>
double self_kernel(const Kernel& kernel, const Scalar* x, Index n) {
  switch (kernel.kind) {  // exact if the value is a constant
    case KernelKind::kGaussian:
    case KernelKind::kInverseSquareDistance:
      return 1.0;
    default:
      return kernel_value(kernel, x, x, n);
  }
}

template <class Scalar>
void kernel_matrix(const Context& context, const Kernel& kernel, ConstMatrixView<Scalar> samples,
                   ConstMatrixView<Scalar> atoms, MatrixView<Scalar> gram) {
  kernel.validate();
  check_shapes(samples, atoms, gram);
  const AtomSet<Scalar> set(kernel, atoms);
  const Partition tiles(samples.rows(), kTileRows);
  const Work work = work_of(gram.size(), samples.cols() + kPerExp);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    set.evaluate(samples.rows_between(tile.begin, tile.end),
                 gram.rows_between(tile.begin, tile.end), nullptr);
  });
}

template <class Scalar>
void kernel_matrix(const Context& context, const Kernel& kernel, ConstMatrixView<Scalar> atoms,
                   MatrixView<Scalar> gram) {
  kernel.validate();
  check_shapes(atoms, atoms, gram);
  AtomSet<Scalar>(kernel, atoms).evaluate_self(context, gram, nullptr);
}

namespace {

/// Distances below this fraction of the largest one are rounding errors between equal samples.
constexpr double kEqual = 1e-12;

/// The median. If most pairs are equal, as in patches of drawings on a blank page, the median of
/// the other pairs.
double typical_distance(std::vector<double> distances) {
  std::sort(distances.begin(), distances.end());
  const double least = kEqual * distances.back();
  const auto different = std::upper_bound(distances.begin(), distances.end(), least);
  require(different != distances.end(), "auto_gamma",
          "all samples are equal, so their distances give no width; set gamma");
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  return *middle > least ? *middle : *(different + (distances.end() - different) / 2);
}

}  // namespace

template <class Scalar>
double auto_gamma(const Context& context, ConstMatrixView<Scalar> samples) {
  const Index m = samples.rows();
  require(m >= 2, "auto_gamma", "at least 2 samples are needed, got {}", m);
  agree(context, [&] { require_finite(samples, "auto_gamma", "samples"); });
  Random random = context.random("kernel.auto_gamma");
  std::vector<Index> pairs;
  for (Index pair = 0; pair < kGammaPairs; ++pair) {
    const Index i = random.below(m);
    Index j = random.below(m - 1);
    if (j >= i) ++j;  // a different sample
    pairs.insert(pairs.end(), {i, j});
  }
  std::vector<double> distances;
  distances.reserve(kGammaPairs);
  for (Index pair = 0; pair < kGammaPairs; pair += kPairsAtATime) {
    const Index count = 2 * std::min(kPairsAtATime, kGammaPairs - pair);
    const Matrix<Scalar> rows =
        gather_rows<Scalar>(context, samples,
                            std::span(pairs).subspan(static_cast<std::size_t>(2 * pair),
                                                     static_cast<std::size_t>(count)));
    for (Index i = 0; i < count; i += 2)
      distances.push_back(compare(rows.row(i), rows.row(i + 1), samples.cols()).squared_distance);
  }
  return 6.0 / typical_distance(std::move(distances));
}

#define KRICA_INSTANTIATE(Scalar)                                                               \
  template double kernel_value(const Kernel&, const Scalar*, const Scalar*, Index);             \
  template void kernel_derivative(const Kernel&, const Scalar*, const Scalar*, Index, double*); \
  template double self_kernel(const Kernel&, const Scalar*, Index);                             \
  template void kernel_matrix(const Context&, const Kernel&, ConstMatrixView<Scalar>,           \
                              ConstMatrixView<Scalar>, MatrixView<Scalar>);                     \
  template void kernel_matrix(const Context&, const Kernel&, ConstMatrixView<Scalar>,           \
                              MatrixView<Scalar>);                                              \
  template double auto_gamma(const Context&, ConstMatrixView<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
