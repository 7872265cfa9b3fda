// SPDX-License-Identifier: BSD-3-Clause
//
// What is about to be done and about how long it will take, on standard error before it begins.
#pragma once

#include <string_view>

#include "krica/models/estimate.hpp"
#include "session.hpp"

namespace krica::cli {

/// Of training with these options, which need not be settled.
TrainingEstimate training_wait(const Context& context, const ImageSet& images,
                               const PipelineOptions& options, bool classifier = true);

/// Seconds for the features or predictions of these images, by a model with these options.
double encoding_wait(const Context& context, const ImageSet& images,
                     const PipelineOptions& settled);

/// One line, unless the wait is short or --quiet.
void announce(const SessionOptions& session, std::string_view work, double seconds);
/// The same for one verb: "encoding 50,000 images".
void announce(const SessionOptions& session, std::string_view verb, const ImageSet& images,
              double seconds);

}  // namespace krica::cli
