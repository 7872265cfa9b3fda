// SPDX-License-Identifier: BSD-3-Clause
#include "joint/training_state.hpp"

#include <array>
#include <utility>

#include "krica/runtime/error.hpp"
#include "solvers/adam_update.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

using Part = Matrix<float> JointParameters<float>::*;
constexpr std::array<std::pair<Part, const char*>, 4> kParts = {{
    {&JointParameters<float>::W, "W"},
    {&JointParameters<float>::shapes, "log_gamma"},  // named when all were widths
    {&JointParameters<float>::T, "T"},
    {&JointParameters<float>::bias, "bias"},
}};

void put(Archive& archive, const std::string& prefix, const JointParameters<float>& parameters) {
  for (const auto& [part, name] : kParts) {
    if ((parameters.*part).size() > 0) archive.put(prefix + name, parameters.*part);
  }
}

void get(const Archive& archive, const std::string& prefix, JointParameters<float>& parameters) {
  for (const auto& [part, name] : kParts) {
    Matrix<float>& known = parameters.*part;
    if (known.size() == 0) continue;
    Matrix<float> saved = archive.matrix<float>(prefix + name);
    if (saved.rows() != known.rows() || saved.cols() != known.cols())
      throw DataError("[max-margin] the saved state has other shapes than this run");
    known = std::move(saved);
  }
}

void put(Archive& archive, const std::string& prefix, const BatchMoments& moments) {
  if (moments.mean.empty()) return;
  archive.put_vector<double>(prefix + "mean", moments.mean);
  archive.put_vector<double>(prefix + "variance", moments.variance);
}

void get(const Archive& archive, const std::string& prefix, Index features, BatchMoments& moments) {
  if (!archive.has(prefix + "mean")) return;
  moments.mean = archive.vector<double>(prefix + "mean");
  moments.variance = archive.vector<double>(prefix + "variance");
  if (static_cast<Index>(moments.mean.size()) != features ||
      moments.variance.size() != moments.mean.size())
    throw DataError("[max-margin] the saved moments do not fit the features");
}

}  // namespace

void adam_update(const JointParameters<float>& gradient, const JointRates& rates,
                 JointState& state) {
  ++state.step;
  for (const auto& [part, name] : kParts) {
    const bool basis =
        part == &JointParameters<float>::W || part == &JointParameters<float>::shapes;
    const double decay = part == &JointParameters<float>::T ? rates.decay : 0;
    adam_update<float>({}, state.step, {basis ? rates.basis : rates.classifier, decay},
                       gradient.*part, {state.now.*part, state.first.*part, state.second.*part});
  }
}

bool all_finite(const JointParameters<float>& parameters) {
  for (const auto& [part, name] : kParts) {
    if (!all_finite(parameters.*part)) return false;
  }
  return true;
}

void JointState::save(Archive& archive) const {
  put(archive, "now.", now);
  put(archive, "best.", best.parameters);
  put(archive, "best.", best.moments);
  put(archive, "first.", first);
  put(archive, "second.", second);
  const std::vector<std::int64_t> counts = {step, stale_epochs, best_epoch};
  const std::vector<double> scalars = {best_accuracy, loss_sum};
  archive.put_vector<std::int64_t>("counts", counts);
  archive.put_vector<double>("scalars", scalars);
  archive.put_vector<double>("held_out_accuracy", held_out_accuracy);
}

void JointState::load(const Archive& archive) {
  get(archive, "now.", now);
  get(archive, "best.", best.parameters);
  get(archive, "best.", now.T.cols(), best.moments);
  get(archive, "first.", first);
  get(archive, "second.", second);
  const auto counts = archive.vector<std::int64_t>("counts", 3);
  const auto scalars = archive.vector<double>("scalars", 2);
  if (counts[0] < 0) throw DataError("[max-margin] the saved state's counters are wrong");
  step = counts[0];
  stale_epochs = counts[1];
  best_epoch = counts[2];
  best_accuracy = scalars[0];
  loss_sum = scalars[1];
  held_out_accuracy = archive.vector<double>("held_out_accuracy");
}

}  // namespace krica
