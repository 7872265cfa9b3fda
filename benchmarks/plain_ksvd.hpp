// SPDX-License-Identifier: BSD-3-Clause
//
// K-SVD as it is usually first written, to be held beside the library's: the residual of every
// sample and least squares over the chosen atoms in every step of the pursuit, and the singular
// vectors of every atom's error matrix. Single-threaded.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica::benchmarks {

class PlainKsvd {
 public:
  using Rows = RowMajor<float>;

  PlainKsvd(Rows samples, Rows atoms, Index nonzeros)
      : X_(std::move(samples)),
        D_(std::move(atoms)),
        S_(Rows::Zero(X_.rows(), D_.rows())),
        nonzeros_(nonzeros) {}

  /// Returns Σ‖x - Dᵀs‖².
  double code() {
    S_.setZero();
    for (Index i = 0; i < X_.rows(); ++i) pursue(i);
    return static_cast<double>((X_ - S_ * D_).squaredNorm());
  }

  void update() {
    for (Index u = 0; u < D_.rows(); ++u) update_atom(u);
  }

 private:
  void pursue(Index i) {
    std::vector<Index> chosen;
    Eigen::VectorXf residual = X_.row(i);
    Eigen::VectorXf values;
    // A sample that equals an atom leaves nothing but rounding, which would choose the atom again.
    for (Index k = 0; k < nonzeros_ && residual.norm() > 1e-4F; ++k) {
      Index best = 0;
      (D_ * residual).cwiseAbs().maxCoeff(&best);
      chosen.push_back(best);
      Eigen::MatrixXf columns(D_.cols(), std::ssize(chosen));
      for (Index t = 0; t < columns.cols(); ++t)
        columns.col(t) = D_.row(chosen[static_cast<std::size_t>(t)]);
      values = columns.householderQr().solve(X_.row(i).transpose());
      residual = X_.row(i).transpose() - columns * values;
    }
    for (Index t = 0; t < values.size(); ++t)
      S_(i, chosen[static_cast<std::size_t>(t)]) = values(t);
  }

  void update_atom(Index u) {
    std::vector<Index> users;
    for (Index i = 0; i < S_.rows(); ++i) {
      if (S_(i, u) != 0) users.push_back(i);
    }
    if (users.empty()) return;
    Eigen::MatrixXf errors(std::ssize(users), D_.cols());
    for (Index t = 0; t < errors.rows(); ++t) {
      const Index i = users[static_cast<std::size_t>(t)];
      errors.row(t) = X_.row(i) - S_.row(i) * D_ + S_(i, u) * D_.row(u);
    }
    const Eigen::BDCSVD<Eigen::MatrixXf> svd(errors, Eigen::ComputeThinU | Eigen::ComputeThinV);
    D_.row(u) = svd.matrixV().col(0);
    for (Index t = 0; t < errors.rows(); ++t)
      S_(users[static_cast<std::size_t>(t)], u) = svd.singularValues()(0) * svd.matrixU()(t, 0);
  }

  Rows X_;
  Rows D_;
  Rows S_;
  Index nonzeros_;
};

}  // namespace krica::benchmarks
