// SPDX-License-Identifier: BSD-3-Clause
//
// Announces on standard error what is about to be done and roughly how long it will take. Not on a
// GPU, whose speed is not known in advance.
#pragma once

#include <string_view>

#include "models/estimate.hpp"
#include "session.hpp"

namespace krica::cli {

/// Estimates of work on one set of images. The images must outlive it.
class WaitEstimator {
 public:
  /// Measures the speed of the machine and of reading the images.
  WaitEstimator(const Context& context, const ImageSet& images);

  /// The time to train with these options, which need not be resolved.
  [[nodiscard]] TrainingEstimate training(const PipelineOptions& options,
                                          bool classifier = true) const;
  /// Seconds to compute features or predictions with a model with these options.
  [[nodiscard]] double encoding(const PipelineOptions& settled) const;

 private:
  const ImageSet& images_;
  MachineSpeed speed_;
  ReadingTime reading_;
};

/// One line, unless the wait is short or --quiet is given.
void announce(const SessionOptions& session, std::string_view work, double seconds);
/// The same, with the images after the verb: "encoding 50,000 images".
void announce(const SessionOptions& session, std::string_view verb, const ImageSet& images,
              double seconds);
/// The same for features or predictions by a model with these options.
void announce_encoding(const Context& context, const SessionOptions& session, std::string_view verb,
                       const ImageSet& images, const PipelineOptions& settled);

}  // namespace krica::cli
