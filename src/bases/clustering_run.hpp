// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clustering/option_fields.hpp"
#include "krica/bases/basis.hpp"
#include "krica/clustering/kmeans.hpp"
#include "solvers/iterations.hpp"

namespace krica {

/// Whether K-means is the method, or finds the first atoms of another one.
enum class ClusteringRole { kMethod, kStart };

/// Whether a state belongs to a run that only finds initial atoms.
bool is_of_start(const Archive& state);

/// K-means and its spherical form, watched, stopped and resumed: keeps the atoms of the last turn,
/// and passes them to the request's hooks. A run that only finds initial atoms reports no
/// iterations and returns no atoms if it is cancelled.
class ClusteringRun {
 public:
  /// Takes up request.state where it is of this role; `name` says whose it must be. `options` are
  /// the clustering's own; their identity (solvers/option_fields.hpp) is the state's.
  template <class Options>
  ClusteringRun(const Context& context, const BasisRequest& request, std::string_view name,
                const Options& options, ClusteringRole role)
      : ClusteringRun(context, request, name, identity_of(options, context.seed()),
                      options.max_iterations, role) {}

  /// The last turn's atoms; empty before the first.
  [[nodiscard]] const Matrix<float>& atoms() const { return atoms_; }
  /// Turns that are left.
  [[nodiscard]] Index left() const { return limit_ - iterations_.done(); }

  /// `cluster` is given the hook to pass on and returns its atoms and whether it converged.
  /// Cancelled as BasisMethod::learn says.
  struct Clusters {
    Matrix<float> atoms;
    bool converged;
  };
  Basis run(const std::function<Clusters(const ClusteringHook<float>&)>& cluster);

 private:
  ClusteringRun(const Context& context, const BasisRequest& request, std::string_view name,
                std::string identity, Index limit, ClusteringRole role);
  void resume(const Archive& state);
  void note(const ClusteringTurn<float>& turn, Index before);
  [[nodiscard]] Archive saved() const;

  const BasisRequest& request_;
  std::string_view name_;
  std::string identity_;
  Index limit_;
  ClusteringRole role_;
  SolverHooks hooks_;
  Iterations iterations_;
  Matrix<float> atoms_;
};

/// K-means of the patches in either role. `assignment`, where it is wanted, is that of every patch
/// to an atom.
Basis kmeans_of(const Context& context, const BasisRequest& request, ClusteringRole role,
                std::vector<Index>* assignment = nullptr);
/// Spherical K-means of the patches from `start()`, which is not asked where a state is taken up.
Basis spherical_kmeans_of(const Context& context, const BasisRequest& request, Index limit,
                          ClusteringRole role, const std::function<Matrix<float>()>& start);

}  // namespace krica
