// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/ksr.hpp"

#include "objectives/basis_condition.hpp"
#include "solvers/gram_lasso.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "ksr";

template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X, const KsrOptions& options) {
  require_samples(X, kName);
  options.validate();
  return X;
}

}  // namespace

void KsrOptions::validate() const {
  require(n_components > 0, kName, "components must be > 0, got {}", n_components);
  kernel.validate();
  GramLassoOptions{.sparsity = sparsity, .tolerance = tolerance}.validate();
}

template <class Scalar>
KsrObjective<Scalar>::KsrObjective(ConstMatrixView<Scalar> X, const KsrOptions& options)
    : EvaluatedObjective<Scalar>(kName, checked(X, options), options.n_components, X.cols()),
      options_(options) {}

template <class Scalar>
BasisCondition KsrObjective<Scalar>::condition(const Context& context, ConstMatrixView<Scalar> W) {
  return basis_condition(context, options_.kernel, this->samples(), W);
}

template <class Scalar>
double KsrObjective<Scalar>::evaluate_on(const Context& context, const Samples<Scalar>& batch,
                                         ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) {
  const Index K = W.rows();
  const AtomSet<Scalar> atoms(options_.kernel, W);
  Matrix<Scalar> G(K, K);
  Matrix<Scalar> G_slopes(K, K);
  MatrixView<Scalar> slopes_of_G(G_slopes);
  atoms.evaluate_self(context, G, &slopes_of_G);
  const GramLasso<double> lasso(Matrix<double>::copy_of(G.view().template cast<double>()),
                                {.sparsity = options_.sparsity, .tolerance = options_.tolerance});
  if (batch.is_all()) latest_.resize(static_cast<std::size_t>(batch.X.rows()));
  const Partition blocks(batch.X.rows(), block_rows_for<Scalar>(0, K));
  if (codes_.rows() < blocks.largest()) {
    codes_ = Matrix<Scalar>(blocks.largest(), K);
    slopes_ = Matrix<Scalar>(blocks.largest(), K);
  }
  gradient_.start(context, K, W.cols(), {batch.X.rows(), blocks.largest(), K});
  std::vector<double> values;  // of the blocks
  for (Index b = 0; b < blocks.count(); ++b) {
    values.push_back(solve_block(context, batch, blocks[b], atoms, lasso, gradient != nullptr));
    if (gradient == nullptr) continue;
    const Index rows = blocks[b].size();
    gradient_.add_code_products(context, ConstMatrixView<Scalar>(codes_).rows_between(0, rows));
    gradient_.add(context, atoms, ConstMatrixView<Scalar>(slopes_).rows_between(0, rows),
                  batch.X.rows_between(blocks[b].begin, blocks[b].end));
  }
  const double scale = 1 / static_cast<double>(batch.X.rows());
  if (gradient != nullptr) gradient_.finish(context, atoms, W, G_slopes, 1, scale, *gradient, {});
  return tree_sum(std::move(values)) * scale;
}

/// Fills codes_ with the block's codes and slopes_ with ∂f/∂S ∘ slopes (times m).
template <class Scalar>
double KsrObjective<Scalar>::solve_block(const Context& context, const Samples<Scalar>& batch,
                                         Range block, const AtomSet<Scalar>& atoms,
                                         const GramLasso<double>& lasso, bool with_gradient) {
  const Partition tiles(block.size(), kTileRows);
  // Each sample's code is solved for by passes over the Gram matrix.
  const Work work = work_of(block.size(), atoms.count(), 10 * atoms.count());
  return ordered_reduce(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    MatrixView<Scalar> slopes = MatrixView<Scalar>(slopes_).rows_between(tile.begin, tile.end);
    atoms.evaluate(batch.X.rows_between(block.begin + tile.begin, block.begin + tile.end),
                   MatrixView<Scalar>(codes_).rows_between(tile.begin, tile.end), &slopes);
    double value = 0;
    for (Index i = tile.begin; i < tile.end; ++i) {
      const Index row = block.begin + i;
      const Scalar* x = batch.X.data() + row * batch.X.outerStride();
      value += solve_row(x, batch.sample(row), lasso, i, batch.is_all());
      if (!with_gradient) continue;
      for (Index u = 0; u < codes_.cols(); ++u) slopes_(i, u) *= Scalar(-2) * codes_(i, u);
    }
    return value;
  });
}

/// In: κ(W, x) in row `row` of codes_; out: the code.
template <class Scalar>
double KsrObjective<Scalar>::solve_row(const Scalar* x, Index sample,
                                       const GramLasso<double>& lasso, Index row, bool warm) {
  const auto K = static_cast<std::size_t>(codes_.cols());
  const auto place = static_cast<std::size_t>(sample);
  Scalar* values = codes_.row(row);
  const std::vector<double> correlations(values, values + K);
  std::vector<double> code(K, 0.0);
  if (warm && !kept_.empty()) {
    for (const auto& [u, entry] : kept_[place]) code[static_cast<std::size_t>(u)] = entry;
  }
  const double self = self_kernel(options_.kernel, x, this->cols());
  const double value = lasso.solve(correlations, self, code).value;
  if (warm) latest_[place].clear();
  for (std::size_t u = 0; u < K; ++u) {
    values[u] = static_cast<Scalar>(code[u]);
    if (warm && code[u] != 0) latest_[place].emplace_back(static_cast<Index>(u), code[u]);
  }
  return value;
}

template <class Scalar>
void KsrObjective<Scalar>::save_codes(Archive& state) const {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> places;
  std::vector<double> entries;
  for (const SparseCode& code : kept_) {
    counts.push_back(static_cast<std::int64_t>(code.size()));
    for (const auto& [u, entry] : code) {
      places.push_back(u);
      entries.push_back(entry);
    }
  }
  state.put_vector<std::int64_t>("ksr.counts", counts);
  state.put_vector<std::int64_t>("ksr.places", places);
  state.put_vector<double>("ksr.entries", entries);
}

template <class Scalar>
void KsrObjective<Scalar>::load_codes(const Archive& state) {
  const auto counts = state.vector<std::int64_t>("ksr.counts");
  const auto places = state.vector<std::int64_t>("ksr.places");
  const auto entries = state.vector<double>("ksr.entries");
  const auto misfit = [] { return DataError("[ksr] the state's codes do not fit the samples"); };
  if (!counts.empty() && static_cast<Index>(counts.size()) != this->n_samples()) throw misfit();
  std::vector<SparseCode> codes(counts.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::int64_t j = 0; j < counts[i]; ++j, ++next) {
      if (next >= places.size() || next >= entries.size() || places[next] < 0 ||
          places[next] >= this->rows()) {
        throw misfit();
      }
      codes[i].emplace_back(places[next], entries[next]);
    }
  }
  kept_ = std::move(codes);
}

template class KsrObjective<float>;
template class KsrObjective<double>;

}  // namespace krica
