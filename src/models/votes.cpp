// SPDX-License-Identifier: BSD-3-Clause
#include "models/votes.hpp"

#include <algorithm>
#include <cmath>

#include "features/patch_tile.hpp"
#include "krica/features/pool_power.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

void require_atoms_and_classifier(const Model& model) {
  require(model.parts().extractor.has_value(), "votes",
          "raw pixels have no atoms; train with another method");
  require(model.has_classifier(), "votes", "the model has no classifier; use train");
}

/// Below this a pooled code is taken for 0 and has no shares.
constexpr float kNoCode = 1e-12F;

/// What one code adds to the score, and what every position of a cell adds whatever its code.
struct Shares {
  Matrix<float> per_code;            // zones × channels
  std::vector<double> per_position;  // one a zone
};

Shares shares_of(const Model& model, const Matrix<float>& zone_sums, Index which) {
  const FeatureExtractor& extractor = *model.parts().extractor;
  const PoolingGrid& grid = extractor.grid();
  const Standardiser& standardiser = model.parts().classifier->standardiser;
  const auto weights = model.parts().classifier->linear.weights();
  const Index channels = zone_sums.cols();
  const double power = extractor.options().pool_power;
  std::vector<float> pooled(static_cast<std::size_t>(extractor.features()));
  grid.pool<float>(zone_sums, pooled.data());
  std::vector<float> raised = pooled;
  raise_to_power<float>(power, raised.data(), nullptr, extractor.features());
  float nothing = 0;
  raise_to_power<float>(power, &nothing, nullptr, 1);
  std::vector<float> ratio(pooled.size());
  std::vector<double> constant(static_cast<std::size_t>(grid.cells()), 0.0);
  for (std::size_t j = 0; j < pooled.size(); ++j) {
    const float weight =
        weights(which, static_cast<Index>(j)) * standardiser.inverse_deviation()[j];
    if (std::abs(pooled[j]) > kNoCode) ratio[j] = weight * (raised[j] - nothing) / pooled[j];
    constant[j / static_cast<std::size_t>(channels)] +=
        static_cast<double>(weight) * static_cast<double>(nothing - standardiser.mean()[j]);
  }
  Shares shares{Matrix<float>(grid.zones(), channels),
                std::vector<double>(static_cast<std::size_t>(grid.zones()), 0.0)};
  grid.spread<float>(ratio.data(), shares.per_code);
  for (Index z = 0; z < grid.zones(); ++z) {
    for (const Index g : grid.cells_of(z)) {
      shares.per_position[static_cast<std::size_t>(z)] +=
          constant[static_cast<std::size_t>(g)] / static_cast<double>(grid.cell_size(g));
    }
  }
  return shares;
}

/// Calls visit(position, code) for every position, in their order.
template <class Visit>
void for_codes(const FeatureExtractor& extractor, const float* image, Visit visit) {
  const Partition tiles(extractor.positions(), kTilePositions);
  Matrix<float> codes(tiles.largest(), extractor.encoder().channels());
  for (Index t = 0; t < tiles.count(); ++t) {
    const Range tile = tiles[t];
    extractor.encode(image, tile.begin, MatrixView<float>(codes).rows_between(0, tile.size()));
    for (Index i = 0; i < tile.size(); ++i) visit(tile.begin + i, codes.row(i));
  }
}

/// The sums of codes that are pooled: zones × channels.
Matrix<float> zone_sums_of(const FeatureExtractor& extractor, const float* image) {
  const PoolingGrid& grid = extractor.grid();
  Matrix<float> sums(grid.zones(), extractor.encoder().channels());
  for_codes(extractor, image, [&](Index position, const float* code) {
    float* sum = sums.row(grid.place(position).zone);
    for (Index u = 0; u < sums.cols(); ++u) sum[u] += code[u];
  });
  return sums;
}

void require_class(const Model& model, Index which) {
  require(which >= 0 && which < model.parts().classifier->linear.n_classes(), "votes",
          "class {} is not in 0 ... {}", which, model.parts().classifier->linear.n_classes() - 1);
}

}  // namespace

Matrix<float> atom_votes(const Model& model) {
  require_atoms_and_classifier(model);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const auto weights = model.parts().classifier->linear.weights();
  const Index K = extractor.encoder().atoms().rows();
  Matrix<float> votes(K, weights.rows());
  for (Index c = 0; c < weights.rows(); ++c) {
    // Channels come cell by cell, K or 2K of them: atom u's are u, u + K, u + 2K, ...
    for (Index j = 0; j < extractor.features(); ++j) votes(j % K, c) += weights(c, j);
  }
  return votes;
}

std::vector<std::vector<Index>> atoms_by_class(const Model& model) {
  const Matrix<float> votes = atom_votes(model);
  std::vector<std::vector<Index>> classes(static_cast<std::size_t>(votes.cols()));
  const std::vector<int> best = best_classes(votes);
  for (Index u = 0; u < votes.rows(); ++u)
    classes[static_cast<std::size_t>(best[static_cast<std::size_t>(u)])].push_back(u);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto vote = [&](Index u) { return votes(u, static_cast<Index>(c)); };
    std::stable_sort(classes[c].begin(), classes[c].end(),
                     [&](Index a, Index b) { return vote(a) > vote(b); });
  }
  return classes;
}

std::vector<std::vector<Index>> atom_groups(const Model& model) {
  require(model.parts().extractor.has_value(), "votes", "raw pixels have no atoms");
  const std::vector<std::int64_t>& atom_class = model.parts().atom_class;
  if (atom_class.empty() && model.has_classifier()) return atoms_by_class(model);
  const auto K = static_cast<std::size_t>(model.parts().extractor->encoder().atoms().rows());
  const std::int64_t last =
      atom_class.empty() ? 0 : *std::max_element(atom_class.begin(), atom_class.end());
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(last) + 1);
  for (std::size_t u = 0; u < K; ++u) {
    const std::int64_t group = atom_class.empty() ? 0 : atom_class[u];
    groups[static_cast<std::size_t>(group)].push_back(static_cast<Index>(u));
  }
  return groups;
}

std::vector<std::vector<Index>> strongest_atoms(const std::vector<std::vector<Index>>& groups,
                                                Index most) {
  std::vector<std::vector<Index>> chosen(groups.size());
  for (std::size_t rank = 0; most > 0; ++rank) {
    const Index before = most;
    for (std::size_t g = 0; g < groups.size() && most > 0; ++g) {
      if (rank >= groups[g].size()) continue;
      chosen[g].push_back(groups[g][rank]);
      --most;
    }
    if (most == before) break;  // nothing is left
  }
  return chosen;
}

std::vector<float> atom_contributions(const Model& model, const float* image, Index which) {
  require_atoms_and_classifier(model);
  require_class(model, which);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const Standardiser& standardiser = model.parts().classifier->standardiser;
  const auto weights = model.parts().classifier->linear.weights();
  std::vector<float> features(static_cast<std::size_t>(extractor.features()));
  extractor.grid().pool<float>(zone_sums_of(extractor, image), features.data());
  raise_to_power<float>(extractor.options().pool_power, features.data(), nullptr,
                        extractor.features());
  const auto K = static_cast<std::size_t>(extractor.encoder().atoms().rows());
  std::vector<double> sums(K, 0.0);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const float standardised =
        (features[j] - standardiser.mean()[j]) * standardiser.inverse_deviation()[j];
    sums[j % K] += static_cast<double>(weights(which, static_cast<Index>(j)) * standardised);
  }
  return {sums.begin(), sums.end()};
}

std::vector<AtomContribution> deciding_atoms(const std::vector<float>& contributions, Index most) {
  std::vector<AtomContribution> atoms;
  for (std::size_t u = 0; u < contributions.size(); ++u) {
    if (contributions[u] > 0) atoms.push_back({static_cast<Index>(u), contributions[u]});
  }
  std::stable_sort(atoms.begin(), atoms.end(),
                   [](const auto& a, const auto& b) { return a.contribution > b.contribution; });
  if (static_cast<Index>(atoms.size()) > most) atoms.resize(static_cast<std::size_t>(most));
  return atoms;
}

Matrix<float> position_votes(const Model& model, const float* image, Index which) {
  require_atoms_and_classifier(model);
  require(!model.shape().is_sample(), "votes", "samples have no positions that could vote");
  require_class(model, which);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const PoolingGrid& grid = extractor.grid();
  const Matrix<float> sums = zone_sums_of(extractor, image);
  const Shares shares = shares_of(model, sums, which);
  Matrix<float> votes(grid.position_rows(), grid.position_cols());
  for_codes(extractor, image, [&](Index position, const float* code) {
    const PoolingGrid::Place& place = grid.place(position);
    votes(place.row, place.col) =
        static_cast<float>(ordered_dot(code, shares.per_code.row(place.zone), sums.cols()) +
                           shares.per_position[static_cast<std::size_t>(place.zone)]);
  });
  return votes;
}

}  // namespace krica
