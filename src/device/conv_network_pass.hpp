// SPDX-License-Identifier: BSD-3-Clause
//
// The features of a chunk of whitened images, with the operations of conv_passes.hpp.
#pragma once

#include "device/conv_encoder.hpp"
#include "device/conv_passes.hpp"

namespace krica::device {

template <class Ops>
class ConvNetworkPass {
 public:
  ConvNetworkPass(Ops& ops, const ConvEncoderOptions& options)
      : ops_(ops),
        features_(static_cast<std::int64_t>(options.features())),
        chunk_(ops, options.shapes(), options.images),
        stack_(ops, options.layers, options.images) {
    for (const MapCells& cells : options.cells) {
      std::vector<int> offsets = {0};
      std::vector<int> positions;
      for (const std::vector<int>& cell : cells.positions) {
        positions.insert(positions.end(), cell.begin(), cell.end());
        offsets.push_back(static_cast<int>(positions.size()));
      }
      grids_.push_back({static_cast<int>(cells.positions.size()), cells.function,
                        typename Ops::template Array<int>(offsets),
                        typename Ops::template Array<int>(positions)});
    }
  }

  void encode(const float* whitened, int images, float* features) {
    const std::vector<ConvSpec>& shapes = stack_.shapes();
    stack_.apply(chunk_, {whitened, shapes.front().values()}, images);
    for (std::size_t l = 0; l < shapes.size(); ++l) {
      const Grid& grid = grids_[l];
      const int groups = shapes[l].groups;
      ops_.each(images, grid.cells * groups,
                PoolCells{stack_.above(l), shapes[l].blocks(), groups, grid.offsets.data(),
                          grid.positions.data(), grid.function, features, features_});
      features += static_cast<std::size_t>(grid.cells) * static_cast<std::size_t>(groups);
    }
  }

 private:
  struct Grid {
    int cells;
    CellFunction function;
    typename Ops::template Array<int> offsets;
    typename Ops::template Array<int> positions;
  };

  Ops& ops_;
  std::int64_t features_;
  ConvChunk<Ops> chunk_;
  ConvStack<Ops> stack_;
  std::vector<Grid> grids_;
};

}  // namespace krica::device
