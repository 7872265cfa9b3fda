// SPDX-License-Identifier: BSD-3-Clause
//
// JointEngine: the computations of max-margin training (trainer.hpp) on the CPU or on a GPU. The
// trainer decides which images, rates and epochs; the engine computes with them. A GPU keeps
// parameters, Adam's moments and images, so the trainer's state lags behind until it asks for it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "joint/trainer.hpp"
#include "joint/training_state.hpp"

namespace krica {

class PatchSource;

/// What one step learns from, and how fast.
struct JointStep {
  std::span<const Index> images;
  std::uint64_t epoch = 0;                    ///< determines the augmentation
  std::span<const Index> reconstructed = {};  ///< rows of the reconstruction term's patches
  JointRates rates = {};
};

class JointEngine {
 public:
  JointEngine() = default;
  JointEngine(const JointEngine&) = delete;
  JointEngine& operator=(const JointEngine&) = delete;
  virtual ~JointEngine() = default;

  /// Goes on from another state's parameters and moments, of the same shapes.
  virtual void load(const JointState& state) = 0;
  /// Brings the state's parameters and moments up to date.
  virtual void store(JointState& state) = 0;

  /// One step of Adam, counted in state.step. Returns the loss before it; nothing if the loss or
  /// its gradient is not finite, and then nothing has changed. Throws Cancelled, and nothing has
  /// changed either.
  virtual std::optional<double> step(const JointStep& step, JointState& state) = 0;

  /// The moments of the features of images that are not augmented.
  virtual BatchMoments moments_of(const JointParameters<float>& at,
                                  std::span<const Index> images) = 0;
  /// Their scores, images × classes.
  virtual Matrix<float> scores(const JointParameters<float>& at, const BatchMoments& moments,
                               std::span<const Index> images) = 0;
};

/// What an engine works on; everything is kept by reference.
struct JointTask {
  const Context& context;
  const ImageSet& images;
  const PatchSource& source;
  const JointOptions& options;
  ConstMatrixView<float> patches;  ///< of the reconstruction term
};

/// Each begins with the state's parameters and moments.
std::unique_ptr<JointEngine> make_host_engine(const JointTask& task, const JointState& state);
/// Null if the context has no device, or it cannot do this. Throws DeviceError.
std::unique_ptr<JointEngine> make_device_engine(const JointTask& task, const JointState& state);
/// On the context's device if that can do it, otherwise on the CPU.
std::unique_ptr<JointEngine> make_engine(const JointTask& task, const JointState& state);

/// Calls body with one batch of the images after another.
template <class Body>
void for_batches(std::span<const Index> images, Index batch, Body body) {
  const Partition rounds(static_cast<Index>(images.size()), batch);
  for (Index r = 0; r < rounds.count(); ++r) {
    body(rounds[r], images.subspan(static_cast<std::size_t>(rounds[r].begin),
                                   static_cast<std::size_t>(rounds[r].size())));
  }
}

}  // namespace krica
