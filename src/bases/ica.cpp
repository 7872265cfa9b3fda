// SPDX-License-Identifier: BSD-3-Clause
//
// Independent component analysis by symmetric FastICA, K <= n. With z the patch whitened by PCA to
// K directions and G the contrast log cosh (g = tanh), finds the fixed point of
//
//   extremise Σ_u E[G(v_u·z)]   subject to V Vᵀ = I
//
// by iterating V⁺ = E[g(Vz) zᵀ] - diag(E[g'(Vz)]) V, then V ← (V⁺V⁺ᵀ)^(-1/2) V⁺, until no row
// rotates any more: max_u |1 - |v_u·v_u,before|| <= 1e-7. Atoms are V times the whitening, so a
// code is w·x with unit variance. A. Hyvärinen, "Fast and Robust Fixed-Point Algorithms for
// Independent Component Analysis", IEEE Trans. Neural Networks 10(3), 1999. Differences: none in
// the update; the mean is removed when learning but not when encoding, where whitening has removed
// it.
#include "bases/ica.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "krica/bases/basis.hpp"
#include "krica/patches/whitening.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/lapack.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/vector_math.hpp"
#include "solvers/common.hpp"
#include "solvers/iterations.hpp"

namespace krica {
namespace {

using blas::Op;

constexpr std::string_view kName = "ica";
constexpr Index kTileRows = 256;

/// (V Vᵀ)^(-1/2) V.
Matrix<double> orthonormal(const Context& context, const Matrix<double>& V) {
  const Index K = V.rows();
  Matrix<double> products(K, K);
  blas::gemm<double>(context, Op::kPlain, Op::kTransposed, 1.0, V, V, 0.0, products);
  const SymmetricEigen eigen = symmetric_eigen(products);
  require(eigen.values.front() > 0, kName, "the components became dependent; use fewer of them");
  Matrix<double> scaled = eigen.vectors;  // rows: eigenvectors
  for (Index d = 0; d < K; ++d)
    scaled.view().row(d) /= std::sqrt(eigen.values[static_cast<std::size_t>(d)]);
  Matrix<double> root(K, K);
  blas::gemm<double>(context, Op::kTransposed, Op::kPlain, 1.0, eigen.vectors, scaled, 0.0, root);
  Matrix<double> result(K, K);
  blas::gemm<double>(context, Op::kPlain, Op::kPlain, 1.0, root, V, 0.0, result);
  return result;
}

/// Sums over some of the patches.
struct Sums {
  Matrix<double> products;     // Σ g(Vz) zᵀ
  std::vector<double> slopes;  // Σ g'(Vz)
  double contrast = 0;         // Σ G(Vz)

  explicit Sums(Index K) : products(K, K), slopes(static_cast<std::size_t>(K), 0.0) {}
  static auto members(auto& sums) { return std::tie(sums.products, sums.slopes, sums.contrast); }
};

class FastIca {
 public:
  FastIca(const Context& context, const SolverHooks& hooks, const IcaOptions& options,
          ConstMatrixView<float> Z)  // NOLINT(modernize-pass-by-value): a view
      : context_(context),
        options_(options),
        Z_(Z),
        iterations_(context, hooks, kName, options.max_iterations) {}

  void start() {
    Matrix<double> V(Z_.cols(), Z_.cols());
    for (Index u = 0; u < V.rows(); ++u) {
      Random random = context_.random("ica.start", static_cast<std::uint64_t>(u));
      for (Index j = 0; j < V.cols(); ++j) V(u, j) = random.normal();
    }
    V_ = orthonormal(context_, V);
  }

  void resume(const Archive& state) {
    check_origin(state, kName, identity_of(options_, context_.seed()));
    V_ = state.matrix<double>("V");
    if (V_.rows() != Z_.cols() || V_.cols() != Z_.cols())
      throw DataError(fmt::format("[ica] the state's V is {} x {}", V_.rows(), V_.cols()));
    iterations_.resume(history_from(state, &HistoryRow::change), 0);
  }

  Status run() {
    return iterations_.run([this] { return turn(); }, [this] { return saved(); });
  }

  [[nodiscard]] const Matrix<double>& rotation() const { return V_; }
  std::vector<HistoryRow> take_history() { return iterations_.take_history(); }

 private:
  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, identity_of(options_, context_.seed()));
    state.put("V", V_);
    put_history(state, iterations_.history());
    return state;
  }

  std::optional<Status> turn() {
    if (iterations_.used_up()) return Status::kIterationLimit;
    const auto& history = iterations_.history();
    if (!history.empty() && history.back().change <= options_.tolerance) return Status::kConverged;
    step();
    return std::nullopt;
  }

  void step() {
    const Sums sums = sums_over_patches();
    const auto m = static_cast<double>(Z_.rows());
    Matrix<double> next(V_.rows(), V_.cols());
    for (Index u = 0; u < V_.rows(); ++u) {
      const double slope = sums.slopes[static_cast<std::size_t>(u)] / m;
      for (Index j = 0; j < V_.cols(); ++j) next(u, j) = sums.products(u, j) / m - slope * V_(u, j);
    }
    next = orthonormal(context_, next);
    double turn = 0;
    for (Index u = 0; u < V_.rows(); ++u) {
      const double cosine = ordered_dot(next.row(u), V_.row(u), V_.cols());
      turn = std::max(turn, std::abs(1 - std::abs(cosine)));
    }
    V_ = std::move(next);
    const Index iteration = iterations_.done() + 1;
    iterations_.record({.iteration = iteration,
                        .evaluations = iteration,
                        .value = sums.contrast / m,
                        .change = turn,
                        .step = 1});
  }

  [[nodiscard]] Sums sums_over_patches() const {
    const Matrix<float> V = Matrix<float>::copy_of(V_.view().cast<float>());
    const Partition parts = sum_parts(Z_.rows(), kTileRows);
    const Work work = work_of(Z_.rows(), V.rows(), 2 * Z_.cols() + 2 * kPerExp);
    return ordered_reduce<Sums>(
        context_, parts.count(), work, [&] { return Sums(V.rows()); },
        [&](Index part, Sums& sums) {
          for_tiles(parts[part], kTileRows, [&](Range tile) { add_tile(tile, V, sums); });
        });
  }

  void add_tile(Range tile, const Matrix<float>& V, Sums& sums) const {
    const ConstMatrixView<float> Z = Z_.rows_between(tile.begin, tile.end);
    Matrix<float> products(V.rows(), V.rows());
    std::vector<float> scratch(static_cast<std::size_t>(V.rows()));
    Matrix<float> Y(Z.rows(), V.rows());
    blas::gemm<float>(Op::kPlain, Op::kTransposed, 1.0F, Z, V, 0.0F, Y);
    for (Index i = 0; i < Y.rows(); ++i)
      sums.contrast += contrast_row(Y.row(i), sums.slopes, scratch);
    blas::gemm<float>(Op::kTransposed, Op::kPlain, 1.0F, Y, Z, 0.0F, products);
    sums.products.view() += products.view().cast<double>();
  }

  /// Replaces y with tanh y, adds 1 - tanh² to the slopes and returns Σ log cosh y. With e =
  /// exp(-2|y|), |tanh y| = (1-e)/(1+e) and log cosh y = |y| + log(1+e) - log 2.
  static double contrast_row(float* y, std::vector<double>& slopes, std::vector<float>& e) {
    const auto K = static_cast<Index>(slopes.size());
    double contrast = 0;
    for (std::size_t u = 0; u < e.size(); ++u) {
      e[u] = -2 * std::abs(y[u]);
      contrast += static_cast<double>(std::abs(y[u])) - std::numbers::ln2;
    }
    exp_in_place(e.data(), K);
    for (std::size_t u = 0; u < e.size(); ++u) {
      y[u] = std::copysign((1 - e[u]) / (1 + e[u]), y[u]);
      slopes[u] += 1 - static_cast<double>(y[u]) * static_cast<double>(y[u]);
    }
    log1p_in_place(e.data(), K);
    return contrast + ordered_sum<float>(e.data(), K);
  }

  const Context& context_;
  IcaOptions options_;
  ConstMatrixView<float> Z_;  // whitened patches
  Matrix<double> V_;
  Iterations iterations_;
};

/// The matrix Q (K×n) of z = Q(x - mean), obtained by whitening the unit vectors.
Matrix<double> matrix_of(const Whitening& whitening) {
  const Index n = whitening.inputs();
  Matrix<float> units(n + 1, n);
  for (Index j = 0; j < n; ++j) units(j, j) = 1;
  Matrix<float> moved(n + 1, whitening.outputs());
  whitening.apply(units, moved);
  Matrix<double> Q(whitening.outputs(), n);
  for (Index u = 0; u < Q.rows(); ++u) {
    for (Index j = 0; j < n; ++j)
      Q(u, j) = static_cast<double>(moved(j, u)) - static_cast<double>(moved(n, u));
  }
  return Q;
}

/// Whitens to K directions. If there are fewer, the error says how many are possible.
Whitening pca_whitening(const Context& context, const BasisRequest& request,
                        const IcaLimit& limit) {
  const Index K = request.options.components;
  const Index most = std::min(K, request.patches.cols());
  require(K >= 1, kName, "components must be at least 1, got {}", K);
  Whitening whitening = Whitening::fit(
      context, request.patches, {.kind = WhiteningKind::kPca, .epsilon = 0, .components = most});
  require(whitening.outputs() == K, kName, "components must be at most {}, {}, got {}; {}",
          whitening.outputs(), limit.what, K, limit.remedy);
  return whitening;
}

LargeMatrix whitened(const Context& context, const Whitening& whitening,
                     ConstMatrixView<float> patches) {
  LargeMatrix Z(context, patches.rows(), whitening.outputs());
  const Partition tiles(Z.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(Z.size(), patches.cols()), [&](Index t) {
    whitening.apply(patches.rows_between(tiles[t].begin, tiles[t].end),
                    Z.view().rows_between(tiles[t].begin, tiles[t].end));
  });
  return Z;
}

}  // namespace

Basis learn_ica(const Context& context, const BasisRequest& request) {
  return unmixed(context, request,
                 {"the directions in which patches vary (contrast normalisation removes one)",
                  "rica learns more atoms"});
}

Basis unmixed(const Context& context, const BasisRequest& request, const IcaLimit& limit) {
  const Index K = request.options.components;
  const Index n = request.patches.cols();
  const Whitening whitening = pca_whitening(context, request, limit);
  const LargeMatrix Z = whitened(context, whitening, request.patches);
  FastIca ica(context, request.hooks,
              {.components = K, .max_iterations = request.options.iterations}, Z.view());
  if (request.state != nullptr) {
    ica.resume(*request.state);
  } else {
    ica.start();
  }
  const Status status = ica.run();
  if (status == Status::kCancelled && !request.best_when_cancelled) throw Cancelled();
  Matrix<double> atoms(K, n);
  // Without the context: a cancelled run has atoms too.
  blas::gemm<double>(Op::kPlain, Op::kPlain, 1.0, ica.rotation(), matrix_of(whitening), 0.0, atoms);
  return {Matrix<float>::copy_of(atoms.view().cast<float>()), ica.take_history(), status};
}

}  // namespace krica
