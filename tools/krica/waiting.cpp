// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <fmt/format.h>

namespace krica::cli {

TrainingEstimate training_wait(const Context& context, const ImageSet& images,
                               const PipelineOptions& options, bool classifier) {
  const DataFacts facts = facts_of(images, classifier);
  return estimate_training(machine_speed(context), facts, resolved(options, facts),
                           reading_time(images));
}

double encoding_wait(const Context& context, const ImageSet& images,
                     const PipelineOptions& settled) {
  return estimate_encoding(machine_speed(context), facts_of(images, true), settled,
                           reading_time(images));
}

void announce(const SessionOptions& session, std::string_view work, double seconds) {
  const std::string line = session.quiet ? "" : waiting_text(work, seconds);
  if (!line.empty()) fmt::print(stderr, "{}\n", line);
}

void announce(const SessionOptions& session, std::string_view verb, const ImageSet& images,
              double seconds) {
  announce(session,
           fmt::format("{} {} {}", verb, with_commas(images.size()), noun_of(images.shape())),
           seconds);
}

}  // namespace krica::cli
