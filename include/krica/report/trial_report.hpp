// SPDX-License-Identifier: BSD-3-Clause
//
// What there is to see of one trained model: its atoms, how it learned, its codes, what it
// confuses, its worst mistakes, what it cost.
#pragma once

#include <string>
#include <vector>

#include "krica/experiments/trial.hpp"
#include "krica/report/page.hpp"

namespace krica {

struct ShownTrial {
  const Trial& trial;
  const Model* model = nullptr;    ///< null: without atoms
  const ImageSet* test = nullptr;  ///< null: without thumbnails
  bool brief = false;              ///< fewer atoms, no thumbnails: for pages of many models
};

void add_trial(ReportPage& page, const ShownTrial& shown);

/// The options that shape the model and differ from their defaults, as on the command line.
std::string option_text(const PipelineOptions& options);

/// "3.2 s", "4 min 10 s".
std::string duration_text(double seconds);
/// "512 MB".
std::string memory_text(std::int64_t bytes);

}  // namespace krica
