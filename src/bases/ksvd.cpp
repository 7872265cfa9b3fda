// SPDX-License-Identifier: BSD-3-Clause
//
// K-SVD: a dictionary for codes with few non-zeros (clustering/ksvd.hpp),
//
//   minimise Σ_i ‖x_i - Dᵀ s_i‖² over unit-norm atoms D and codes s_i with at most `nonzeros`
//   atoms.
//
// M. Aharon, M. Elad, A. Bruckstein, "K-SVD: An Algorithm for Designing Overcomplete Dictionaries
// for Sparse Representation", IEEE TSP 54(11), 2006. Differences: the approximate update of
// Rubinstein, Zibulevsky and Elad (2008) instead of an SVD per atom; `iterations` is a limit.
#include "bases/ksvd_run.hpp"
#include "bases/start.hpp"

namespace krica {

constexpr double kSettled = 0.01;

Basis ksvd_of(const Context& context, const BasisRequest& request, std::string_view name,
              KsvdOptions options, ClusteringRole role,
              const std::function<Matrix<float>()>& start) {
  ClusteringRun run(context, request, name, options, role);
  options.max_iterations = run.left();
  // Before the run: a cancelled start has its own state.
  const Matrix<float> first = run.atoms().size() > 0 ? run.atoms() : start();
  return run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = ksvd<float>(context, request.patches, first, options, hook);
    // The pursuit is greedy, so the cost may go up and down for ever.
    return {std::move(result.atoms), result.change <= kSettled};
  });
}

Basis learn_ksvd(const Context& context, const BasisRequest& request) {
  return ksvd_of(context, request, "ksvd",
                 {.n_atoms = request.options.components,
                  .nonzeros = request.options.nonzeros,
                  .max_iterations = request.options.iterations},
                 ClusteringRole::kMethod, [&] { return starting_directions(context, request); });
}

}  // namespace krica
