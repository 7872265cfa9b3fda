// SPDX-License-Identifier: BSD-3-Clause
#include "models/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "krica/bases/basis.hpp"
#include "models/method_defaults.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"

namespace krica {
namespace {

std::string_view noun_of(const DataFacts& facts) {
  return facts.shape.is_sample() ? "samples" : "images";
}

/// "3,000 labelled images of 10 classes".
std::string described(const DataFacts& facts) {
  if (facts.classes == 0) return fmt::format("{} {} without labels", facts.size, noun_of(facts));
  return fmt::format("{} labelled {} of {} classes", facts.size, noun_of(facts), facts.classes);
}

bool has_filters(const BasisMethod& method) { return method.learn != nullptr || method.network; }

/// Fills in one option after another and records the reasons.
class Chooser {
 public:
  Chooser(const PipelineOptions& options, const DataFacts& facts)
      : result_{options, {}}, facts_(facts) {}

  Recommendation run() {
    choose_method();
    choose_features();
    choose_field();
    choose_components();
    choose_training();
    return std::move(result_);
  }

 private:
  void note(std::string option, std::string value, std::string reason) {
    result_.choices.push_back({std::move(option), std::move(value), std::move(reason)});
  }

  void choose_method() {
    PipelineOptions& options = result_.options;
    if (options.method != kAutoMethod) return;
    const bool sift = options.descriptor.kind == DescriptorKind::kSift;
    const MethodRule& rule = sift && !facts_.shape.is_sample() ? sift_rule() : method_rule(facts_);
    options.method = std::string(rule.method);
    note("method", options.method, fmt::format("{}: {}", described(facts_), rule.reason));
  }

  /// What d-ksvd and lc-ksvd code for images, unless it is given.
  void choose_features() {
    PipelineOptions& options = result_.options;
    const bool wanted = basis_method(options.method).classifies && !facts_.shape.is_sample();
    if (!wanted || options.dictionary.features) return;
    options.dictionary.features = "kmeans-hard";
    if (!options.pooling.levels) options.pooling.levels = PoolLevels::from_text("1x1,2x2,4x4");
    const bool large = std::min(facts_.shape.height, facts_.shape.width) >= kLargeSide;
    if (!options.descriptor.kind && large) options.descriptor.kind = DescriptorKind::kSift;
    // As in the papers; sums of counts mislead the principal components.
    if (!options.pooling.function) options.pooling.function = PoolFunction::kMax;
    if (!options.classifier.scaling) options.classifier.scaling = FeatureScaling::kL2;
    note("features", *options.dictionary.features,
         fmt::format("the {} of images, in a pyramid", large ? "SIFT words" : "words"));
  }

  void choose_field() {
    PipelineOptions& options = result_.options;
    if (facts_.shape.is_sample() && !options.descriptor.kind)
      options.descriptor.kind = DescriptorKind::kPixels;  // whatever the method does to images
    if (options.descriptor.receptive_field) return;
    const Index side = std::min(facts_.shape.height, facts_.shape.width);
    options.descriptor.receptive_field = std::clamp<Index>(
        side >= kLargeSide ? kLargeField : kField, 1, std::max<Index>(1, side / 2));
    if (descriptor_of(options) == DescriptorKind::kSift && !facts_.shape.is_sample())
      options.descriptor.receptive_field = std::clamp<Index>(side / 4 * 4, 4, kSiftField);
    if (facts_.shape.is_sample() || !has_filters(basis_method(options.method))) return;
    note("receptive-field", std::to_string(*options.descriptor.receptive_field),
         fmt::format("images of {} x {}", facts_.shape.width, facts_.shape.height));
  }

  void choose_components() {
    PipelineOptions& options = result_.options;
    if (options.basis.components) return;
    const BasisMethod& method = basis_method(options.method);
    options.basis.components = components_for(
        method, facts_, descriptors_to_learn_from(facts_.shape, options)->dimensions());
    if (!has_filters(method)) return;
    note("components", std::to_string(*options.basis.components),
         fmt::format("for {} {}", facts_.size, noun_of(facts_)));
  }

  void choose_training() {
    PipelineOptions& options = result_.options;
    const bool joint = basis_method(options.method).joint;
    if (!options.classifier.flips) {
      options.classifier.flips = joint && facts_.shape.channels == 3 && !facts_.shape.is_sample();
      if (*options.classifier.flips)
        note("flips", "yes", "colour images: mirrored photographs are as likely");
    }
    if (options.basis.epochs) return;
    options.basis.epochs = joint ? joint_epochs_for(facts_.size) : kEpochs;
    if (joint) note("epochs", std::to_string(*options.basis.epochs), described(facts_));
  }

  Recommendation result_;
  const DataFacts& facts_;
};

}  // namespace

DataFacts facts_of(const ImageSet& images, bool classifier) {
  DataFacts facts{images.shape(), images.size(), classifier ? images.classes() : 0};
  if (!images.varied()) return facts;
  double pixels = 0;
  for (const ImageShape& own : images.info().shapes) pixels += static_cast<double>(own.pixels());
  facts.filled = pixels / static_cast<double>(images.size() * images.shape().pixels());
  return facts;
}

Recommendation recommended(const PipelineOptions& options, const DataFacts& facts) {
  return Chooser(options, facts).run();
}

}  // namespace krica
