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

/// Whether K-means is the method, or finds the initial atoms of another method.
enum class ClusteringRole { kMethod, kStart };

/// Whether a state belongs to a run that only finds initial atoms.
bool is_of_start(const Archive& state);

/// Runs K-means and spherical K-means so that they can be monitored, cancelled and resumed: keeps
/// the atoms of the last iteration and passes them to the request's hooks. A run that only finds
/// initial atoms reports no iterations and returns no atoms if it is cancelled.
class ClusteringRun {
 public:
  /// Resumes from request.state if it has this role; `name` is the expected owner. `options` are
  /// those of the clustering; the state stores their identity (solvers/option_fields.hpp).
  template <class Options>
  ClusteringRun(const Context& context, const BasisRequest& request, std::string_view name,
                const Options& options, ClusteringRole role)
      : ClusteringRun(context, request, name, identity_of(options, context.seed()),
                      options.max_iterations, role) {}

  /// The atoms of the last iteration; empty before the first.
  [[nodiscard]] const Matrix<float>& atoms() const { return atoms_; }
  /// Remaining iterations.
  [[nodiscard]] Index left() const { return limit_ - iterations_.done(); }

  /// `cluster` is called with the hook to use and returns its atoms and whether it converged.
  /// Cancellation as in LearnBasis.
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

/// K-means of the patches in either role, by k-means++. `assignment`, if not null, receives the
/// atom of each patch.
Basis kmeans_of(const Context& context, const BasisRequest& request, ClusteringRole role,
                std::vector<Index>* assignment = nullptr);
/// K-means and spherical K-means of the patches from `start()`, which is not called when resuming.
Basis kmeans_from_start(const Context& context, const BasisRequest& request,
                        const std::function<Matrix<float>()>& start);
Basis spherical_kmeans_of(const Context& context, const BasisRequest& request, Index limit,
                          ClusteringRole role, const std::function<Matrix<float>()>& start);

}  // namespace krica
