// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "features/local_coding.hpp"
#include "kernels/atom_set.hpp"
#include "kernels/distances.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/parallel.hpp"
#include "runtime/vector_math.hpp"
#include "solvers/batch_omp.hpp"
#include "solvers/gram_lasso.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "encoder";
constexpr double kLassoTolerance = 1e-4;
constexpr std::string_view kTangentsName = "atom_tangents";
constexpr NameTable<EncoderKind, 14> kKinds = {{
    {EncoderKind::kKernel, "kernel"},
    {EncoderKind::kAbs, "abs"},
    {EncoderKind::kTriangle, "triangle"},
    {EncoderKind::kHard, "hard"},
    {EncoderKind::kSoftThreshold, "soft-threshold"},
    {EncoderKind::kSoftAbs, "soft-abs"},
    {EncoderKind::kSigmoid, "sigmoid"},
    {EncoderKind::kLasso, "lasso"},
    {EncoderKind::kLinear, "linear"},
    {EncoderKind::kSignedLasso, "signed-lasso"},
    {EncoderKind::kOmp, "omp"},
    {EncoderKind::kSignedOmp, "signed-omp"},
    {EncoderKind::kLlc, "llc"},
    {EncoderKind::kTangents, "tangents"},
}};

/// In: squared distances; out: max(0, mean - distance).
void triangle(float* row, Index K) {
  for (Index u = 0; u < K; ++u) row[u] = std::sqrt(std::max(row[u], 0.0F));
  const auto mean = static_cast<float>(ordered_sum(row, K) / static_cast<double>(K));
  for (Index u = 0; u < K; ++u) row[u] = std::max(0.0F, mean - row[u]);
}

/// In: squared distances; out: 1 at the smallest (the first on ties), otherwise 0.
void hard(float* row, Index K) {
  const Index nearest = std::min_element(row, row + K) - row;
  std::fill(row, row + K, 0.0F);
  row[nearest] = 1.0F;
}

/// row has room for 2K values; its first half holds w_u·x.
void soft_threshold(float* row, Index K, float common, std::span<const float> own) {
  for (Index u = 0; u < K; ++u) {
    const float s = row[u];
    const float threshold = own.empty() ? common : own[static_cast<std::size_t>(u)];
    row[u] = std::max(0.0F, s - threshold);
    row[K + u] = std::max(0.0F, -s - threshold);
  }
}

/// In: w_u·x; out: 1 / (1 + exp(-w_u·x - b_u)).
void sigmoid(float* row, Index K, std::span<const float> bias) {
  for (Index u = 0; u < K; ++u)
    row[u] = -row[u] - (bias.empty() ? 0.0F : bias[static_cast<std::size_t>(u)]);
  exp_in_place(row, K);
  for (Index u = 0; u < K; ++u) row[u] = 1.0F / (1.0F + row[u]);
}

/// The name of the shapes' tensor; empty if the encoder has none.
std::string_view shapes_name(const EncoderOptions& options) {
  if (options.kind == EncoderKind::kSoftThreshold) return "atom_thresholds";
  if (options.kind == EncoderKind::kSigmoid) return "atom_bias";
  const bool gaussian = options.kernel.kind == KernelKind::kGaussian;
  return options.kind == EncoderKind::kKernel && gaussian ? "atom_gammas" : "";
}

void check_shapes(const EncoderOptions& options, Index atoms, std::span<const float> shapes) {
  if (shapes.empty()) return;
  require(has_shapes(options), kName, "atoms of the {} encoder have no shapes, got {}",
          name_of(options.kind), shapes.size());
  const auto count = static_cast<Index>(shapes.size());
  require(count == atoms, kName, "{} of {} values for {} atoms", shapes_name(options), count,
          atoms);
  require_finite(ConstMatrixView<float>(shapes.data(), 1, count), kName, shapes_name(options));
  if (options.kind != EncoderKind::kKernel) return;
  for (const float gamma : shapes) require(gamma > 0, kName, "a width must be > 0, got {}", gamma);
}

void check_local(const EncoderOptions& options, ConstMatrixView<float> atoms,
                 ConstMatrixView<float> tangents) {
  require(!is_local(options.kind) || options.neighbours <= atoms.rows(), kName,
          "neighbours must be at most the number of atoms, {}, got {}", atoms.rows(),
          options.neighbours);
  const bool wanted = options.kind == EncoderKind::kTangents;
  const Index rows = wanted ? atoms.rows() * options.tangents : 0;
  require(tangents.rows() == rows && (!wanted || tangents.cols() == atoms.cols()), kName,
          "{} of {} x {} for {} atoms of {} values and the {} encoder; it takes {} x {}",
          kTangentsName, tangents.rows(), tangents.cols(), atoms.rows(), atoms.cols(),
          name_of(options.kind), rows, wanted ? atoms.cols() : 0);
  require_finite(tangents, kName, kTangentsName);
}

GramLassoOptions lasso_options(const EncoderOptions& options) {
  return {.sparsity = options.sparsity, .tolerance = kLassoTolerance};
}

GramLasso<float> lasso_of(const EncoderOptions& options, const Matrix<float>& atoms) {
  Matrix<double> G(atoms.rows(), atoms.rows());
  kernel_matrix<double>(Context({.threads = 1}), options.kernel,
                        Matrix<double>::copy_of(atoms.view().cast<double>()), G);
  return {Matrix<float>::copy_of(G.view().cast<float>()), lasso_options(options)};
}

BatchOmp<float> omp_of(const EncoderOptions& options, const Matrix<float>& atoms) {
  return {Context({.threads = 1}), atoms, {.nonzeros = options.nonzeros}};
}

/// |s| unless codes keep their signs.
float as_coded(float value, bool with_sign) { return with_sign ? value : std::abs(value); }

/// In: κ(w_u, x) in the rows of codes; out: the codes.
void solve_lasso(const GramLasso<float>& lasso, const EncoderOptions& options,
                 ConstMatrixView<float> patches, MatrixView<float> codes) {
  const bool with_sign = options.kind == EncoderKind::kSignedLasso;
  const auto K = static_cast<std::size_t>(lasso.components());
  std::vector<float> correlations(K);
  for (Index i = 0; i < codes.rows(); ++i) {
    float* row = codes.data() + i * codes.outerStride();
    const float* x = patches.data() + i * patches.outerStride();
    std::copy_n(row, K, correlations.begin());
    std::fill_n(row, K, 0.0F);
    lasso.solve(correlations, self_kernel(options.kernel, x, patches.cols()), {row, K});
    for (std::size_t u = 0; u < K; ++u) row[u] = as_coded(row[u], with_sign);
  }
}

void pursue(const BatchOmp<float>& omp, bool with_sign, ConstMatrixView<float> patches,
            MatrixView<float> codes) {
  SparseCodes<float> found(patches.rows(), omp.capacity());
  omp.encode(patches, 0, found, nullptr);
  for (Index i = 0; i < codes.rows(); ++i) {
    float* row = codes.data() + i * codes.outerStride();
    std::fill_n(row, codes.cols(), 0.0F);
    const auto atoms = found.atoms(i);
    const auto values = std::as_const(found).values(i);
    for (std::size_t t = 0; t < atoms.size(); ++t) row[atoms[t]] = as_coded(values[t], with_sign);
  }
}

}  // namespace

std::string_view name_of(EncoderKind kind) { return find_name(kKinds, kind); }
EncoderKind encoder_kind(std::string_view name) { return find_value(kKinds, name, kName); }
Index channels_of(const EncoderOptions& options, Index atoms) {
  if (options.kind == EncoderKind::kTangents) return atoms * (1 + options.tangents);
  return options.kind == EncoderKind::kSoftThreshold ? 2 * atoms : atoms;
}
bool is_local(EncoderKind kind) {
  return kind == EncoderKind::kLlc || kind == EncoderKind::kTangents;
}

bool is_lasso(EncoderKind kind) {
  return kind == EncoderKind::kLasso || kind == EncoderKind::kSignedLasso;
}
bool is_omp(EncoderKind kind) {
  return kind == EncoderKind::kOmp || kind == EncoderKind::kSignedOmp;
}

bool has_shapes(const EncoderOptions& options) { return !shapes_name(options).empty(); }

void EncoderOptions::validate() const {
  if (kind == EncoderKind::kKernel || is_lasso(kind)) kernel.validate();
  if (is_lasso(kind)) lasso_options(*this).validate();
  if (is_omp(kind)) BatchOmpOptions{.nonzeros = nonzeros}.validate();
  require(std::isfinite(threshold) && threshold >= 0, kName,
          "threshold must be finite and >= 0, got {}", threshold);
  if (!is_local(kind)) return;
  require(neighbours >= 1 && neighbours <= kMostNeighbours, kName,
          "neighbours must be 1 to {}, got {}", kMostNeighbours, neighbours);
  if (kind != EncoderKind::kTangents) return;
  require(tangents >= 1 && tangents <= kMostTangents, kName, "tangents must be 1 to {}, got {}",
          kMostTangents, tangents);
  require(std::isfinite(tangent_scale) && tangent_scale > 0, kName,
          "tangent-scale must be finite and > 0, got {}", tangent_scale);
}

struct Encoder::Implementation {
  EncoderOptions options;
  Matrix<float> atoms;
  std::vector<float> shapes;
  Matrix<float> tangents;
  AtomSet<float> kernel_atoms;
  std::vector<float> norms;  // for triangle and hard
  std::optional<GramLasso<float>> lasso;
  std::optional<BatchOmp<float>> omp;
  std::optional<LocalCoding> local;

  Implementation(const EncoderOptions& opts, ConstMatrixView<float> W,
                 std::span<const float> atom_shapes, ConstMatrixView<float> directions)
      : options(opts),
        atoms(Matrix<float>::copy_of(W)),
        shapes(atom_shapes.begin(), atom_shapes.end()),
        tangents(Matrix<float>::copy_of(directions)),
        kernel_atoms(opts.kernel, atoms,
                     opts.kind == EncoderKind::kKernel ? shapes : std::vector<float>()) {
    if (opts.kind == EncoderKind::kTriangle || opts.kind == EncoderKind::kHard) {
      norms = squared_row_norms<float>(atoms);
    }
    if (is_lasso(opts.kind)) lasso.emplace(lasso_of(opts, atoms));
    if (is_omp(opts.kind)) omp.emplace(omp_of(opts, atoms));
    if (is_local(opts.kind)) local.emplace(opts, atoms, tangents);
  }
};

Encoder::Encoder(const EncoderOptions& options, ConstMatrixView<float> atoms,
                 std::span<const float> shapes, ConstMatrixView<float> tangents) {
  options.validate();
  require_not_empty(atoms, kName, "atoms");
  require_finite(atoms, kName, "atoms");
  check_shapes(options, atoms.rows(), shapes);
  check_local(options, atoms, tangents);
  implementation_ = std::make_shared<const Implementation>(options, atoms, shapes, tangents);
}

Index Encoder::inputs() const { return implementation_->atoms.cols(); }
const EncoderOptions& Encoder::options() const { return implementation_->options; }
ConstMatrixView<float> Encoder::atoms() const { return implementation_->atoms; }
std::span<const float> Encoder::shapes() const { return implementation_->shapes; }
ConstMatrixView<float> Encoder::tangents() const { return implementation_->tangents; }
Index Encoder::channels() const { return channels_of(options(), atoms().rows()); }

void Encoder::encode(ConstMatrixView<float> patches, MatrixView<float> codes) const {
  const Implementation& self = *implementation_;
  const Index K = self.atoms.rows();
  const EncoderKind kind = options().kind;
  if (kind == EncoderKind::kKernel) return self.kernel_atoms.evaluate(patches, codes, nullptr);
  if (self.local) return self.local->encode(patches, codes);
  const MatrixView<float> raw(codes.data(), codes.rows(), K, codes.outerStride());
  if (is_lasso(kind)) {
    self.kernel_atoms.evaluate(patches, raw, nullptr);
    return solve_lasso(*self.lasso, options(), patches, raw);
  }
  if (is_omp(kind)) return pursue(*self.omp, kind == EncoderKind::kSignedOmp, patches, raw);
  if (kind == EncoderKind::kTriangle || kind == EncoderKind::kHard) {
    squared_distances<float>(patches, self.atoms, self.norms, raw);
  } else {
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, patches, self.atoms, 0.0F,
                      raw);
  }
  for (Index i = 0; i < codes.rows(); ++i) {
    float* row = codes.data() + i * codes.outerStride();
    if (kind == EncoderKind::kTriangle) triangle(row, K);
    if (kind == EncoderKind::kHard) hard(row, K);
    if (kind == EncoderKind::kSoftThreshold)
      soft_threshold(row, K, static_cast<float>(options().threshold), shapes());
    if (kind == EncoderKind::kAbs) {
      for (Index u = 0; u < K; ++u) row[u] = std::abs(row[u]);
    }
    if (kind == EncoderKind::kSoftAbs) {
      for (Index u = 0; u < K; ++u) row[u] = std::sqrt(row[u] * row[u] + 1e-8F);
    }
    if (kind == EncoderKind::kSigmoid) sigmoid(row, K, shapes());
  }
}

void Encoder::save(Archive& archive) const {
  archive.put("atoms", atoms());
  if (!shapes().empty()) archive.put_vector(std::string(shapes_name(options())), shapes());
  if (tangents().rows() > 0) archive.put(std::string(kTangentsName), tangents());
}

Encoder Encoder::load(const EncoderOptions& options, const Archive& archive) {
  const std::string name(shapes_name(options));
  const bool shaped = !name.empty() && archive.has(name);
  const bool tangents = options.kind == EncoderKind::kTangents;
  return {options, archive.matrix<float>("atoms"),
          shaped ? archive.vector<float>(name) : std::vector<float>{},
          tangents ? archive.matrix<float>(std::string(kTangentsName)) : Matrix<float>()};
}

}  // namespace krica
