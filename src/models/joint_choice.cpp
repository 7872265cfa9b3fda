// SPDX-License-Identifier: BSD-3-Clause
#include "models/joint_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "krica/runtime/error.hpp"

namespace krica {

void SvmTrials::add(const ChosenC& of_part, Index held_out) {
  const auto images = static_cast<double>(held_out);
  images_ += images;
  for (const auto& [C, accuracy] : of_part.tried) {
    auto same = std::find_if(trials_.begin(), trials_.end(),
                             [C = C](const Trial& trial) { return trial.C == C; });
    if (same == trials_.end()) same = trials_.insert(trials_.end(), Trial{C, 0, 0});
    same->right += accuracy * images;
    same->images += images;
  }
}

SvmTrials::Trial SvmTrials::best() const {
  Trial best;
  for (const Trial& trial : trials_) {
    if (trial.images == images_ && (best.C == 0 || trial.right > best.right)) best = trial;
  }
  return best;
}

double SvmTrials::C() const { return best().C; }
double SvmTrials::accuracy() const { return images_ > 0 ? best().right / images_ : 0; }

void SvmTrials::save(Archive& archive, const std::string& name) const {
  std::vector<double> values = {images_};
  for (const Trial& trial : trials_)
    values.insert(values.end(), {trial.C, trial.right, trial.images});
  archive.put_vector<double>(name, values);
}

SvmTrials SvmTrials::load(const Archive& archive, const std::string& name) {
  SvmTrials trials;
  const auto values = archive.vector<double>(name);
  if (values.size() % 3 != 1) {
    throw DataError(fmt::format("[archive] tensor '{}' holds {} value(s), expected 3n + 1", name,
                                values.size()));
  }
  trials.images_ = values[0];
  for (std::size_t i = 1; i < values.size(); i += 3)
    trials.trials_.push_back({values[i], values[i + 1], values[i + 2]});
  return trials;
}

Kept JointEvidence::choice(const Auto<bool>& refit) const {
  const bool svm_is_better = learned.accuracy() >= joint_accuracy();
  const Kept kept = refit.value_or(svm_is_better) ? Kept::kRefitted : Kept::kJoint;
  const double best = kept == Kept::kRefitted ? learned.accuracy() : joint_accuracy();
  return best > start.accuracy() ? kept : Kept::kStart;
}

double JointEvidence::temperature(Kept kept) const {
  const Temperature& sum = temperatures[static_cast<std::size_t>(kept)];
  return sum.parts > 0 ? std::exp(sum.logarithms / sum.parts) : 1;
}

JointComparison JointEvidence::comparison(Kept kept) const {
  constexpr std::array<const char*, 3> kNames = {"start", "svm", "joint"};
  JointComparison comparison{start.accuracy(),
                             {},
                             joint_accuracy(),
                             static_cast<std::int64_t>(images),
                             kNames[static_cast<std::size_t>(kept)]};
  if (!learned.empty()) comparison.svm = learned.accuracy();
  return comparison;
}

Archive JointEvidence::saved() const {
  Archive archive;
  start.save(archive, "start");
  learned.save(archive, "learned");
  const std::vector<double> counts = {joint_right, images, static_cast<double>(parts)};
  archive.put_vector<double>("counts", counts);
  std::vector<double> sums;
  for (const Temperature& sum : temperatures) sums.insert(sums.end(), {sum.logarithms, sum.parts});
  archive.put_vector<double>("temperatures", sums);
  return archive;
}

JointEvidence JointEvidence::load(const Archive& archive) {
  const auto counts = archive.vector<double>("counts", 3);
  JointEvidence evidence{SvmTrials::load(archive, "start"), SvmTrials::load(archive, "learned"),
                         counts[0], counts[1], static_cast<Index>(counts[2])};
  const auto sums = archive.vector<double>("temperatures", 2 * std::ssize(evidence.temperatures));
  for (std::size_t i = 0; i < evidence.temperatures.size(); ++i)
    evidence.temperatures[i] = {sums[2 * i], sums[2 * i + 1]};
  return evidence;
}

}  // namespace krica
