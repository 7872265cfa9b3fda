// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's table for CIFAR-10: 4,000 atoms of 6 × 6. Rounds are seeds. It takes the figures of
// the autoencoder, the RBM and two of K-means from Coates, Lee and Ng, for 1,600 features.
#include <fmt/format.h>

#include <array>

#include "experiments/plans.hpp"

namespace krica {
namespace {

constexpr double kCoates = 0.4;  // 1,600 of 4,000
constexpr auto kCifarSystems =
    std::to_array<System>({{"Improved local coordinate coding", "improved-lcc"},
                           {"Convolutional deep belief net, 2 layers", "conv-dbn"},
                           {"Sparse autoencoder", "sparse-autoencoder", kCoates},
                           {"Sparse RBM", "sparse-rbm", kCoates},
                           {"K-means, hard", "kmeans-hard", kCoates},
                           {"K-means, triangle", "kmeans-triangle", kCoates},
                           {"K-means, triangle, full size", "kmeans-triangle"},
                           {"RICA", "rica"},
                           {"KICA", "kica"},
                           {"KSR", "ksr"},
                           {"DRICA", "drica"},
                           {"d-RICA", "d-rica"},
                           {"kRICA", "krica"},
                           {"d-kRICA", "d-krica"},
                           kControl,
                           kMaxMargin});

}  // namespace

Plan plan_cifar10(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  Plan plan;
  const int rounds = rounds_of(request, {1, 2, 1});
  for (const System& system : kCifarSystems) {
    Configuration configuration = configured(system, request, data, {50, 400, 4000}, 6);
    for (int r = 0; r < rounds; ++r) {
      const std::uint64_t seed = request.seed + static_cast<std::uint64_t>(r);
      configuration.splits.push_back({fmt::format("seed {}", seed), seed, {}, {}});
    }
    plan.configurations.push_back(std::move(configuration));
  }
  return plan;
}

}  // namespace krica
