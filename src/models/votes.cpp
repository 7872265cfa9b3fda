// SPDX-License-Identifier: BSD-3-Clause
#include "models/votes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/patch_source.hpp"
#include "features/pool_power.hpp"
#include "models/model_parts.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

void require_atoms_and_classifier(const Model& model) {
  require(model.parts().extractor.has_value(), "votes",
          "{} has no atoms that vote; train with another method", model.options().method);
  require(model.has_classifier(), "votes", "the model has no classifier; use train");
  require(has_votes(model), "votes",
          "the classes are told apart by a dictionary of the features, which no atom votes for");
}

/// A pooled code below this counts as 0 and is not distributed.
constexpr float kNoCode = 1e-12F;

/// An image, and how its codes are pooled.
struct VotingImage {
  VotingImage(const FeatureExtractor& extractor, const float* image, const ImageShape& size)
      : pixels(image), shape(size), grid(extractor.grid_of(size)) {}

  const float* pixels;
  ImageShape shape;
  PoolingGrid grid;
};

/// The classifier's weight of feature j for an image whose features are divided by `length`, and
/// what it subtracts.
struct FeatureWeights {
  FeatureWeights(const Model& model, Index which, float length)
      : weights_(model.parts().classifier->linear.weights()),
        standardiser_(model.parts().classifier->standardiser),
        which_(which),
        length_(length) {}

  [[nodiscard]] float weight(std::size_t j) const {
    const float plain = weights_(which_, static_cast<Index>(j)) / length_;
    return standardised() ? plain * standardiser_.inverse_deviation()[j] : plain;
  }
  [[nodiscard]] float mean(std::size_t j) const {
    return standardised() ? standardiser_.mean()[j] * length_ : 0.0F;
  }

 private:
  [[nodiscard]] bool standardised() const { return !standardiser_.mean().empty(); }

  ConstMatrixView<float> weights_;
  const Standardiser& standardiser_;
  Index which_;
  float length_;
};

/// The contributions of an image's pooled codes to a class score.
struct Shares {
  std::vector<float> pooled;         // cells × channels
  std::vector<float> gains;          // of each pooled code, relative to a code of 0
  std::vector<double> per_position;  // per zone: what each position adds, whatever its code
};

Shares shares_of(const Model& model, const PoolingGrid& grid, const Matrix<float>& zones,
                 Index which) {
  const FeatureExtractor& extractor = *model.parts().extractor;
  const auto channels = static_cast<std::size_t>(zones.cols());
  const double power = extractor.options().pooling.power;
  Shares shares;
  shares.pooled.resize(static_cast<std::size_t>(extractor.features()));
  grid.pool<float>(zones, shares.pooled.data());
  shares.gains = shares.pooled;
  raise_to_power<float>(power, shares.gains.data(), nullptr, extractor.features());
  const FeatureWeights weights(model, which, extractor.length_of(shares.gains.data()));
  float nothing = 0;
  raise_to_power<float>(power, &nothing, nullptr, 1);
  std::vector<double> constant(static_cast<std::size_t>(grid.cells()), 0.0);
  for (std::size_t j = 0; j < shares.gains.size(); ++j) {
    const float weight = weights.weight(j);
    shares.gains[j] = weight * (shares.gains[j] - nothing);
    constant[j / channels] +=
        static_cast<double>(weight) * static_cast<double>(nothing - weights.mean(j));
  }
  shares.per_position.resize(static_cast<std::size_t>(grid.zones()));
  for (Index z = 0; z < grid.zones(); ++z) {
    for (const Index g : grid.cells_of(z)) {
      shares.per_position[static_cast<std::size_t>(z)] +=
          constant[static_cast<std::size_t>(g)] / static_cast<double>(grid.cell_size(g));
    }
  }
  return shares;
}

/// Distributes the contribution of a pooled code over the codes of its cell: in proportion to them,
/// or all to the first maximum.
class Divider {
 public:
  Divider(const PoolingGrid& grid, Index channels, Shares& shares)
      : grid_(grid), channels_(channels), shares_(shares), per_code_(grid.zones(), channels) {
    if (grid.function() == PoolFunction::kMax) return;
    std::vector<float> ratios(shares.gains.size());
    for (std::size_t j = 0; j < ratios.size(); ++j) {
      if (std::abs(shares.pooled[j]) > kNoCode) ratios[j] = shares.gains[j] / shares.pooled[j];
    }
    grid.spread<float>(ratios.data(), per_code_);
  }

  /// The share of one code. Call once for every position, in order.
  double part(Index zone, const float* code) {
    if (grid_.function() != PoolFunction::kMax)
      return ordered_dot(code, per_code_.row(zone), channels_);
    double sum = 0;
    for (const Index g : grid_.cells_of(zone)) {
      for (Index u = 0; u < channels_; ++u) {
        const auto j = static_cast<std::size_t>(g * channels_ + u);
        if (code[u] == shares_.pooled[j])
          sum += static_cast<double>(std::exchange(shares_.gains[j], 0.0F));
      }
    }
    return sum;
  }

 private:
  const PoolingGrid& grid_;
  Index channels_;
  Shares& shares_;
  Matrix<float> per_code_;
};

/// Calls visit(position, code) for every position, in order.
template <class Visit>
void for_codes(const FeatureExtractor& extractor, const VotingImage& image, Visit visit) {
  const Partition tiles(image.grid.positions(), kTilePositions);
  Matrix<float> codes(tiles.largest(), extractor.encoder().channels());
  for (Index t = 0; t < tiles.count(); ++t) {
    const Range tile = tiles[t];
    extractor.encode(image.pixels, image.shape, tile.begin,
                     MatrixView<float>(codes).rows_between(0, tile.size()));
    for (Index i = 0; i < tile.size(); ++i) visit(tile.begin + i, codes.row(i));
  }
}

/// The codes accumulated per zone, ready for pooling: zones × channels.
Matrix<float> zone_codes_of(const FeatureExtractor& extractor, const VotingImage& image) {
  const PoolingGrid& grid = image.grid;
  Matrix<float> zones(grid.zones(), extractor.encoder().channels());
  grid.clear<float>(zones);
  for_codes(extractor, image, [&](Index position, const float* code) {
    grid.gather(code, zones.row(grid.run_at(position).zone), zones.cols());
  });
  return zones;
}

void require_class(const Model& model, Index which) {
  require(which >= 0 && which < model.parts().classifier->linear.n_classes(), "votes",
          "class {} is not in 0 ... {}", which, model.parts().classifier->linear.n_classes() - 1);
}

}  // namespace

bool has_votes(const Model& model) {
  return model.parts().extractor && model.has_classifier() && !model.parts().classifier->dictionary;
}

Matrix<float> atom_votes(const Model& model) {
  require_atoms_and_classifier(model);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const auto weights = model.parts().classifier->linear.weights();
  const Index K = extractor.encoder().atoms().rows();
  Matrix<float> votes(K, weights.rows());
  for (Index c = 0; c < weights.rows(); ++c) {
    // Channels are stored cell by cell, K or 2K of them: those of atom u are u, u + K, u + 2K, ...
    for (Index j = 0; j < extractor.features(); ++j) {
      // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a new matrix has zeros
      votes(j % K, c) += weights(c, j);
    }
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
  require(model.parts().features() != nullptr, "votes", "raw pixels have no atoms");
  const std::vector<std::int64_t>& atom_class = model.parts().atom_class;
  if (atom_class.empty() && has_votes(model)) return atoms_by_class(model);
  const auto K = static_cast<std::size_t>(model.parts().atoms().rows());
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

std::vector<float> atom_contributions(const Model& model, const float* image,
                                      const ImageShape& shape, Index which) {
  require_atoms_and_classifier(model);
  require_class(model, which);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const VotingImage voting(extractor, image, shape);
  std::vector<float> features(static_cast<std::size_t>(extractor.features()));
  voting.grid.pool<float>(zone_codes_of(extractor, voting), features.data());
  raise_to_power<float>(extractor.options().pooling.power, features.data(), nullptr,
                        extractor.features());
  const FeatureWeights weights(model, which, extractor.length_of(features.data()));
  const auto K = static_cast<std::size_t>(extractor.encoder().atoms().rows());
  std::vector<double> sums(K, 0.0);
  for (std::size_t j = 0; j < features.size(); ++j)
    sums[j % K] += static_cast<double>(weights.weight(j) * (features[j] - weights.mean(j)));
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

Matrix<float> position_votes(const Model& model, const float* image, const ImageShape& shape,
                             Index which) {
  require_atoms_and_classifier(model);
  require(!model.shape().is_sample(), "votes", "samples have no positions that could vote");
  require_class(model, which);
  const FeatureExtractor& extractor = *model.parts().extractor;
  const VotingImage voting(extractor, image, shape);
  const PoolingGrid& grid = voting.grid;
  const Matrix<float> zones = zone_codes_of(extractor, voting);
  Shares shares = shares_of(model, grid, zones, which);
  Divider divider(grid, zones.cols(), shares);
  Matrix<float> votes(grid.position_rows(), grid.position_cols());
  for_codes(extractor, voting, [&](Index position, const float* code) {
    const PoolingGrid::Run at = grid.run_at(position);
    votes(at.row, at.col) = static_cast<float>(
        divider.part(at.zone, code) + shares.per_position[static_cast<std::size_t>(at.zone)]);
  });
  return votes;
}

}  // namespace krica
