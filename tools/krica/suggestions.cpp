// SPDX-License-Identifier: BSD-3-Clause
#include "suggestions.hpp"

#include <fmt/format.h>

#include "krica/bases/basis.hpp"
#include "models/recommendation.hpp"

namespace krica::cli {
namespace {

/// Above this, another method cannot do noticeably better.
constexpr double kPerfect = 0.995;

/// What the rules would have chosen, if the user chose another method.
std::string other_method(const PipelineOptions& given, const ImageSet& images) {
  if (given.method == kAutoMethod) return {};
  PipelineOptions open;
  open.descriptor.kind = given.descriptor.kind;
  const Recommendation rule = recommended(open, facts_of(images, true));
  if (rule.options.method == given.method) return {};
  return fmt::format("--method auto would choose {} here; {} (docs/methods.md)",
                     rule.options.method, rule.choices.front().reason);
}

/// Only the user knows whether a mirror image shows the same thing, so this is no default.
std::string mirrors(const PipelineOptions& given, const PipelineOptions& settled,
                    const ImageSet& images) {
  const bool colour = images.shape().channels == 3 && !images.shape().is_sample();
  const bool takes_mirrors = !basis_method(settled.method).classifies;
  if (!colour || !takes_mirrors || given.classifier.flips ||
      settled.classifier.flips.value_or(false))
    return {};
  return "if mirror images show the same things, as in photographs, try --flips --test-flips: "
         "more accurate, in about twice the time (docs/methods.md)";
}

}  // namespace

std::vector<std::string> suggestions(const PipelineOptions& given, const PipelineOptions& settled,
                                     const ImageSet& images, double test_accuracy) {
  if (test_accuracy >= kPerfect) return {};
  std::vector<std::string> found = {other_method(given, images), mirrors(given, settled, images)};
  std::erase(found, std::string());
  return found;
}

}  // namespace krica::cli
