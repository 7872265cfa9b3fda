// SPDX-License-Identifier: BSD-3-Clause
#include "models/stage_results.hpp"

#include "solvers/common.hpp"

namespace krica {
namespace {

void put_number(Archive& archive, const std::string& name, double value) {
  archive.put_vector<double>(name, std::vector<double>{value});
}

std::optional<double> number_if(const Archive& archive, const std::string& name) {
  if (!archive.has(name)) return std::nullopt;
  return archive.vector<double>(name).at(0);
}

void put(Archive& archive, const JointComparison& comparison) {
  put_number(archive, "compared.start", comparison.start);
  if (comparison.svm) put_number(archive, "compared.svm", *comparison.svm);
  put_number(archive, "compared.joint", comparison.joint);
  put_number(archive, "compared.images", static_cast<double>(comparison.images));
  archive.put_text("compared.kept", comparison.kept);
}

JointComparison comparison_from(const Archive& archive) {
  return {archive.vector<double>("compared.start").at(0), number_if(archive, "compared.svm"),
          archive.vector<double>("compared.joint").at(0),
          static_cast<std::int64_t>(archive.vector<double>("compared.images").at(0)),
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
}

LearnedBasis LearnedBasis::load(const Archive& archive) {
  const PipelineOptions options = options_from_json(archive.text("options"));
  LearnedBasis basis{options, Preprocessing::load(archive),
                     Encoder::load(encoder_of(options), archive), archive.text("status"),
                     history_from(archive)};
  if (archive.has("atom_class")) basis.atom_class = archive.vector<std::int64_t>("atom_class");
  return basis;
}

void JointOutcome::save(Archive& archive) const {
  basis.save(archive);
  if (classifier) classifier->save(archive);
  if (temperature) put_number(archive, "svm_temperature", *temperature);
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
