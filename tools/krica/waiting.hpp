// SPDX-License-Identifier: BSD-3-Clause
//
// What is about to be done and about how long it will take, on standard error before it begins.
#pragma once

#include <string_view>

#include "models/estimate.hpp"
#include "session.hpp"

namespace krica::cli {

/// Estimates of work on one set of images. The images must outlive it.
class WaitEstimator {
 public:
  /// Measures how fast the machine is and how fast the images are read.
  WaitEstimator(const Context& context, const ImageSet& images);

  /// Of training with these options, which need not be settled.
  [[nodiscard]] TrainingEstimate training(const PipelineOptions& options,
                                          bool classifier = true) const;
  /// Seconds for the features or predictions by a model with these options.
  [[nodiscard]] double encoding(const PipelineOptions& settled) const;

 private:
  const ImageSet& images_;
  MachineSpeed speed_;
  ReadingTime reading_;
};

/// One line, unless the wait is short or --quiet.
void announce(const SessionOptions& session, std::string_view work, double seconds);
/// The same, with the images after the verb: "encoding 50,000 images".
void announce(const SessionOptions& session, std::string_view verb, const ImageSet& images,
              double seconds);
/// The same for features or predictions by a model with these options.
void announce_encoding(const Context& context, const SessionOptions& session, std::string_view verb,
                       const ImageSet& images, const PipelineOptions& settled);

}  // namespace krica::cli
