// SPDX-License-Identifier: BSD-3-Clause
//
// What a report shows of a trained model: its atoms, learning curve, codes, confusion matrix, worst
// mistakes, time and memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/trial.hpp"
#include "report/page.hpp"

namespace krica {

struct ShownTrial {
  const Trial& trial;
  const Model* model = nullptr;    ///< null: without atoms
  const ImageSet* test = nullptr;  ///< null: without thumbnails
  bool brief = false;              ///< fewer atoms, no thumbnails: for pages of many models
};

void add_trial(ReportPage& page, const ShownTrial& shown);

/// At most `most` atoms on one sheet, to open a page with, and a caption; none if they cannot be
/// drawn (samples, kernel principal components, raw pixels).
std::optional<Figure> atoms_figure(const Model& model, Index most = 144);

/// A solver's status in plain words: "stopped at the iteration limit" for "iteration-limit".
std::string status_text(const std::string& status);

/// The options that shape the model and differ from their defaults, in command-line form.
std::string option_text(const PipelineOptions& options);

/// "3.2 s", "4 min 10 s".
std::string duration_text(double seconds);
/// "512 MB".
std::string memory_text(std::int64_t bytes);

}  // namespace krica
