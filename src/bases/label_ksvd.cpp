// SPDX-License-Identifier: BSD-3-Clause
//
// D-KSVD and LC-KSVD: a dictionary whose codes of few atoms tell classes apart, and the linear map
// W (classes × K) that does it,
//
//   d-ksvd    minimise Σ_i ‖x_i - Dᵀs_i‖² + β‖h_i - W s_i‖²
//   lc-ksvd   minimise Σ_i ‖x_i - Dᵀs_i‖² + α‖q_i - A s_i‖² + β‖h_i - W s_i‖²   (version 1: β = 0)
//
// over atoms, maps and codes with at most L non-zeros. h_i (classes) is 1 for the label's class;
// q_i (K) is 1 for the atoms of that class, k per class. A stacked sample (x_i, √α q_i, √β h_i) and
// the stacked atoms make it one K-SVD. As q_i repeats each entry of h_i k times, so does A the rows
// of W, and the stacked sample has the same inner products as (x_i, √(β + kα) h_i), which is the
// one used here: n + classes values instead of n + K + classes. Atoms count as
// one if their d nearly coincide: by the weight of the labels, the stacked atoms of a class always
// do.
//
// The start is a K-SVD of each class, with the map W = H S (SᵀS + I)⁻¹ of its codes S. At the end
// d_u is scaled to length 1 and w_u with it; version 1 then fits W to the codes of the finished
// atoms. Q. Zhang, B. Li, "Discriminative K-SVD for Dictionary Learning in Face Recognition", CVPR
// 2010. Z. Jiang, Z. Lin, L. Davis, "Learning a Discriminative Dictionary for Sparse Coding via
// Label Consistent K-SVD", CVPR 2011. The equivalence: I. Kviatkovsky, M. Gabel, E. Rivlin, I.
// Shimshoni, "On the Equivalence of the LC-KSVD and the D-KSVD Algorithms", IEEE TPAMI 39(2), 2017.
#include <algorithm>
#include <cmath>

#include "bases/class_atoms.hpp"
#include "bases/ksvd_run.hpp"
#include "bases/start.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/triangular.hpp"
#include "solvers/batch_omp.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "label_ksvd";
constexpr Index kClassIterations = 20;  // of the K-SVD of one class
constexpr float kRidge = 1;             // of the map of codes to labels, as in the authors' code
constexpr double kShortest = 1e-6;

void require_differing(ConstMatrixView<float> samples) {
  for (Index i = 1; i < samples.rows(); ++i) {
    if (samples.row(i) != samples.row(0)) return;
  }
  require(samples.rows() < 2, kName,
          "all {} samples of {} feature(s) are equal up to their length; there is nothing to tell "
          "classes apart by",
          samples.rows(), samples.cols());
}

/// A dictionary with labels.
class LabelKsvd {
 public:
  LabelKsvd(const Context& context, const BasisRequest& request, double weight)
      : context_(context),
        request_(request),
        weight_(weight),
        atom_class_(consecutive_classes(request)),
        classes_(atom_class_.back() + 1) {
    request.options.label_terms.validate();
    require_finite(request.patches, kName, "patches");
    require_differing(request.patches);
  }

  [[nodiscard]] Index atoms_per_class() const { return request_.options.components / classes_; }

  Basis learn(std::string_view name, double consistency, bool refit) {
    weight_ = std::sqrt(weight_ * weight_ +
                        consistency * consistency * static_cast<double>(atoms_per_class()));
    const LargeMatrix stacked = stacked_samples();
    const BasisRequest whole{stacked.view(), request_.labels, request_.options,
                             request_.hooks, request_.state,  request_.best_when_cancelled};
    Basis basis = ksvd_of(context_, whole, name,
                          {.n_atoms = request_.options.components,
                           .nonzeros = request_.options.nonzeros,
                           .max_iterations = request_.options.iterations,
                           .compared = values()},
                          ClusteringRole::kMethod, [this] { return stacked_start(); });
    split(basis);
    if (refit) basis.class_map = map_of_codes(basis.atoms);
    basis.atom_class = atom_class_;
    return basis;
  }

 private:
  [[nodiscard]] Index values() const { return request_.patches.cols(); }

  [[nodiscard]] LargeMatrix stacked_samples() const {
    LargeMatrix stacked(context_, request_.patches.rows(), values() + classes_);
    for (Index i = 0; i < stacked.rows(); ++i) {
      release_pages_when_due();
      stacked.view().row(i).head(values()) = request_.patches.row(i);
      stacked.row(i)[values() + label(i)] = static_cast<float>(weight_);
    }
    return stacked;
  }

  [[nodiscard]] int label(Index i) const { return request_.labels[static_cast<std::size_t>(i)]; }

  /// The dictionaries of the classes, with the map of their codes.
  [[nodiscard]] Matrix<float> stacked_start() const {
    const Matrix<float> atoms = class_by_class(context_, request_, [&](const BasisRequest& own) {
      BasisRequest drawn = own;
      drawn.options.init = "random-patches";
      return ksvd_of(context_, own, "class-ksvd",
                     {.n_atoms = own.options.components,
                      .nonzeros = own.options.nonzeros,
                      .max_iterations = kClassIterations},
                     ClusteringRole::kStart, [&] { return starting_directions(context_, drawn); })
          .atoms;
    });
    const Matrix<float> map = map_of_codes(atoms);
    Matrix<float> stacked(atoms.rows(), values() + classes_);
    for (Index u = 0; u < atoms.rows(); ++u) {
      stacked.view().row(u).head(values()) = atoms.view().row(u);
      for (Index c = 0; c < classes_; ++c)
        stacked(u, values() + c) = static_cast<float>(weight_) * map(c, u);
    }
    return stacked;
  }

  /// SᵀS and H S of the codes over all samples.
  struct CodeSums {
    Matrix<float> products;
    Matrix<float> by_class;
    static auto members(auto& sums) { return std::tie(sums.products, sums.by_class); }
  };

  /// W = H S (SᵀS + I)⁻¹ for the codes S of the samples.
  [[nodiscard]] Matrix<float> map_of_codes(const Matrix<float>& atoms) const {
    const Index K = atoms.rows();
    const BatchOmp<float> omp(context_, atoms, {.nonzeros = request_.options.nonzeros});
    SparseCodes<float> codes(request_.patches.rows(), omp.capacity());
    omp.encode(context_, request_.patches, codes);
    const Partition parts = sum_parts(codes.samples(), std::max<Index>(1024, K));
    auto sums = ordered_reduce<CodeSums>(
        context_, parts.count(), work_of(codes.samples(), codes.capacity(), codes.capacity()),
        [&] {
          return CodeSums{Matrix<float>(K, K), Matrix<float>(classes_, K)};
        },
        [&](Index part, CodeSums& sum) {
          for (Index i = parts[part].begin; i < parts[part].end; ++i) add_code(codes, i, sum);
        });
    for (Index u = 0; u < K; ++u) sums.products(u, u) += kRidge;
    require(cholesky_upper<float>(context_, sums.products), kName,
            "the codes of the samples are too large for a map to the labels; scale the samples");
    invert_upper(context_, sums.products);
    multiply_upper(context_, blas::Op::kPlain, sums.products, sums.by_class);
    multiply_upper(context_, blas::Op::kTransposed, sums.products, sums.by_class);
    return std::move(sums.by_class);
  }

  void add_code(const SparseCodes<float>& codes, Index i, CodeSums& sums) const {
    const auto atoms = codes.atoms(i);
    const auto values = codes.values(i);
    for (std::size_t t = 0; t < atoms.size(); ++t) {
      float* row = sums.products.row(atoms[t]);
      for (std::size_t v = 0; v < atoms.size(); ++v) row[atoms[v]] += values[t] * values[v];
      sums.by_class(label(i), atoms[t]) += values[t];
    }
  }

  /// From stacked atoms to unit-norm ones and their map. An atom that is nothing but a label keeps
  /// its direction and has no part in the map.
  void split(Basis& basis) const {
    Matrix<float> atoms(basis.atoms.rows(), values());
    basis.class_map = Matrix<float>(classes_, basis.atoms.rows());
    for (Index u = 0; u < atoms.rows(); ++u) {
      const float* stacked = basis.atoms.row(u);
      const double length = std::sqrt(ordered_dot(stacked, stacked, values()));
      if (!(length > kShortest)) {
        atoms(u, u % values()) = 1;
        continue;
      }
      for (Index j = 0; j < values(); ++j)
        atoms(u, j) = static_cast<float>(static_cast<double>(stacked[j]) / length);
      for (Index c = 0; c < classes_; ++c) {
        basis.class_map(c, u) =
            static_cast<float>(static_cast<double>(stacked[values() + c]) / (weight_ * length));
      }
    }
    basis.atoms = std::move(atoms);
  }

  const Context& context_;
  const BasisRequest& request_;
  double weight_;  // of the labels in a stacked sample
  std::vector<int> atom_class_;
  Index classes_;
};

}  // namespace

void LabelTerms::validate() const {
  require(std::isfinite(consistency) && consistency > 0, "options",
          "consistency must be > 0, got {}", consistency);
  require(std::isfinite(label_weight) && label_weight > 0, "options",
          "label-weight must be > 0, got {}", label_weight);
  require(version == 1 || version == 2, "options", "lc-version must be 1 or 2, got {}", version);
}

Basis learn_d_ksvd(const Context& context, const BasisRequest& request) {
  LabelKsvd dictionary(context, request, request.options.label_terms.label_weight);
  return dictionary.learn("d-ksvd", 0, false);
}

Basis learn_lc_ksvd(const Context& context, const BasisRequest& request) {
  const LabelTerms& terms = request.options.label_terms;
  LabelKsvd dictionary(context, request, terms.version == 2 ? terms.label_weight : 0);
  return dictionary.learn("lc-ksvd", terms.consistency, terms.version == 1);
}

}  // namespace krica
