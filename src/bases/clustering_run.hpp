// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "krica/bases/basis.hpp"
#include "krica/clustering/turn.hpp"

namespace krica {

/// K-means and its spherical form as a method that can be watched, stopped and resumed: keeps the
/// atoms of the last turn, and gives them to the request's hooks.
class ClusteringRun {
 public:
  /// Takes up request.state where there is one; `name` says whose it must be.
  ClusteringRun(const Context& context, const BasisRequest& request, std::string_view name);

  /// The last turn's atoms; empty before the first.
  [[nodiscard]] const Matrix<float>& atoms() const { return atoms_; }
  /// Turns taken so far.
  [[nodiscard]] Index done() const { return static_cast<Index>(history_.size()); }

  /// `cluster` is given the hook to pass on and returns its atoms and whether it converged.
  /// Cancelled as BasisMethod::learn says.
  struct Clusters {
    Matrix<float> atoms;
    bool converged;
  };
  Basis run(const std::function<Clusters(const ClusteringHook<float>&)>& cluster);

 private:
  void note(const ClusteringTurn<float>& turn, Index before);
  [[nodiscard]] Archive saved() const;
  [[nodiscard]] std::string origin() const;

  const Context& context_;
  const BasisRequest& request_;
  std::string_view name_;
  Matrix<float> atoms_;
  std::vector<HistoryRow> history_;
};

}  // namespace krica
