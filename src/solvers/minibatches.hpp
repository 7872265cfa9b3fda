// SPDX-License-Identifier: BSD-3-Clause
//
// The samples in minibatches, shuffled anew for every epoch.
#pragma once

#include <string>
#include <vector>

#include "krica/runtime/context.hpp"

namespace krica {

/// The order follows from the seed, the stream's name and the epoch alone, so any step can be taken
/// up. A last, smaller batch is left to the next epoch's shuffle.
class Minibatches {
 public:
  /// Throws InvalidArgument for a batch larger than the samples; `what` names these.
  Minibatches(const Context& context, std::string stream, std::vector<Index> samples, Index batch,
              std::string_view operation, std::string_view what);

  [[nodiscard]] Index steps_an_epoch() const { return steps_an_epoch_; }
  [[nodiscard]] Index epoch_of(Index step) const { return step / steps_an_epoch_; }

  /// Of step 0, 1, ...
  std::vector<Index> of_step(Index step);

 private:
  const Context& context_;
  std::string stream_;
  std::vector<Index> samples_;
  Index batch_;
  Index steps_an_epoch_;
  std::vector<Index> order_;  // of the samples in shuffled_epoch_
  Index shuffled_epoch_ = -1;
};

}  // namespace krica
