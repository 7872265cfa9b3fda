// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <fmt/format.h>

#include "tell.hpp"

namespace krica::cli {

WaitEstimator::WaitEstimator(const Context& context, const ImageSet& images)
    : images_(images), speed_(machine_speed(context)), reading_(reading_time(images)) {}

TrainingEstimate WaitEstimator::training(const PipelineOptions& options, bool classifier) const {
  const DataFacts facts = facts_of(images_, classifier);
  return estimate_training(speed_, facts, resolved(options, facts), reading_);
}

double WaitEstimator::encoding(const PipelineOptions& settled) const {
  return estimate_encoding(speed_, facts_of(images_, true), settled, reading_);
}

void announce(const SessionOptions& session, std::string_view work, double seconds) {
  if (session.quiet || session.device != "cpu") return;
  const std::string line = waiting_text(work, seconds);
  if (!line.empty()) tell("{}\n", line);
}

void announce(const SessionOptions& session, std::string_view verb, const ImageSet& images,
              double seconds) {
  announce(session,
           fmt::format("{} {} {}", verb, with_commas(images.size()), noun_of(images.shape())),
           seconds);
}

void announce_encoding(const Context& context, const SessionOptions& session, std::string_view verb,
                       const ImageSet& images, const PipelineOptions& settled) {
  if (session.quiet || session.device != "cpu") return;
  announce(session, verb, images, WaitEstimator(context, images).encoding(settled));
}

}  // namespace krica::cli
