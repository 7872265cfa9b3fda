// SPDX-License-Identifier: BSD-3-Clause
#include "models/stage_results.hpp"

#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

std::optional<double> number_if(const Archive& archive, const std::string& name) {
  if (!archive.has(name)) return std::nullopt;
  return archive.scalar<double>(name);
}

void put(Archive& archive, const JointComparison& comparison) {
  archive.put_scalar("compared.start", comparison.start);
  if (comparison.svm) archive.put_scalar("compared.svm", *comparison.svm);
  archive.put_scalar("compared.joint", comparison.joint);
  archive.put_scalar("compared.images", static_cast<double>(comparison.images));
  archive.put_text("compared.kept", comparison.kept);
}

JointComparison comparison_from(const Archive& archive) {
  return {archive.scalar<double>("compared.start"), number_if(archive, "compared.svm"),
          archive.scalar<double>("compared.joint"),
          static_cast<std::int64_t>(archive.scalar<double>("compared.images")),
          archive.text("compared.kept")};
}

}  // namespace

void LearnedBasis::save(Archive& archive) const {
  archive.put_text("options", to_json(options));
  preprocessing.save(archive);
  encoder.save(archive);
  archive.put_text("status", status);
  put_history(archive, history);
  if (!atom_class.empty()) archive.put_vector<std::int64_t>("atom_class", atom_class);
  if (class_map.size() > 0) archive.put("class_map", class_map);
  if (temperature) archive.put_scalar("class_map_temperature", *temperature);
}

LearnedBasis LearnedBasis::load(const Archive& archive) {
  const PipelineOptions options = options_from_json(archive.text("options"));
  LearnedBasis basis{options, Preprocessing::load(archive),
                     Encoder::load(encoder_of(options), archive), archive.text("status"),
                     history_from(archive)};
  if (archive.has("atom_class")) basis.atom_class = archive.vector<std::int64_t>("atom_class");
  if (archive.has("class_map")) basis.class_map = archive.matrix<float>("class_map");
  basis.temperature = number_if(archive, "class_map_temperature");
  return basis;
}

void LearnedLayer::save(Archive& archive) const {
  archive.put("weights", weights);
  archive.put_vector<float>("bias", bias);
  archive.put_text("status", status);
  put_history(archive, history);
}

LearnedLayer LearnedLayer::load(const Archive& archive) {
  return {archive.matrix<float>("weights"), archive.vector<float>("bias"), archive.text("status"),
          history_from(archive)};
}

void JointOutcome::save(Archive& archive) const {
  basis.save(archive);
  if (classifier) classifier->save(archive);
  if (temperature) archive.put_scalar("svm_temperature", *temperature);
  archive.put_vector<double>("held_out_accuracy", held_out_accuracy);
  put(archive, comparison);
  archive.put_text("warning", warning);
}

JointOutcome JointOutcome::load(const Archive& archive) {
  return {LearnedBasis::load(archive),
          ClassifierParts::load_if(archive),
          number_if(archive, "svm_temperature"),
          archive.vector<double>("held_out_accuracy"),
          comparison_from(archive),
          archive.text("warning")};
}

}  // namespace krica
