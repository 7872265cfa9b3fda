// SPDX-License-Identifier: BSD-3-Clause
//
// Estimates the training time in advance: the number of operations per stage
// (src/models/stage_costs.cpp), divided by the speed of this machine.
//
//   const MachineSpeed speed = machine_speed(context);
//   const TrainingEstimate estimate = estimate_training(speed, facts, resolved(options, facts));
//   std::string line = waiting_text("learning 400 atoms from 3,000 images", estimate.seconds());
//
// An estimate should be correct within a factor of two. It cannot know when a solver will converge
// and assumes the usual number of iterations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "krica/models/options.hpp"
#include "krica/runtime/library.hpp"
#include "models/resolved.hpp"
#include "runtime/machine_speed.hpp"

namespace krica {

/// Seconds to read one image: encoded formats take longer the first time.
struct ReadingTime {
  double first = 0;
  double again = 0;
};

/// Measured on a few images of the set; takes a few hundredths of a second.
KRICA_EXPORT ReadingTime reading_time(const ImageSet& images);

struct StageEstimate {
  std::string stage;  ///< as in TrainingReport::stages
  double seconds = 0;
};

struct KRICA_EXPORT TrainingEstimate {
  std::vector<StageEstimate> stages;

  [[nodiscard]] double seconds() const;
};

/// Estimates train() on data with these facts. `settled` are options from resolved(); without
/// classes there is no classifier.
KRICA_EXPORT TrainingEstimate estimate_training(const MachineSpeed& speed, const DataFacts& facts,
                                                const PipelineOptions& settled,
                                                const ReadingTime& reading = {});

/// Seconds to compute the features, or the predictions, of facts.size images.
double estimate_encoding(const MachineSpeed& speed, const DataFacts& facts,
                         const PipelineOptions& settled, const ReadingTime& reading = {});

/// "learning 400 atoms from 3,000 images".
KRICA_EXPORT std::string learning_text(const DataFacts& facts, const PipelineOptions& settled);

/// 3000 as "3,000".
std::string with_commas(Index number);

/// Rounded to a sensible precision: "about 20 seconds", "about 1 hour 10 minutes".
std::string rough_duration(double seconds);

/// Shorter work is not announced, in seconds.
inline constexpr double kShortestWait = 3;

/// "learning 400 atoms from 3,000 images: about 2 minutes"; empty below `shortest` seconds.
KRICA_EXPORT std::string waiting_text(std::string_view work, double seconds,
                                      double shortest = kShortestWait);

}  // namespace krica
