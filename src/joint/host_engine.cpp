// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "classify/splits.hpp"
#include "features/patch_source.hpp"
#include "joint/engine.hpp"
#include "joint/image_batch.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

/// Works on the trainer's state itself. Ranks share the images of each batch.
class HostEngine final : public JointEngine {
 public:
  HostEngine(const JointTask& task, const JointState& state)
      : task_(task),
        context_(sharing(task.context)),
        objective_(task.options.objective, task.source, task.patches),
        gradient_(state.now.zeros()) {}

  void load(const JointState& /*state*/) override {}
  void store(JointState& /*state*/) override {}

  std::optional<double> step(const JointStep& step, JointState& state) override {
    const Matrix<float> batch =
        read_batch(context_, task_.images, step.images, task_.options.augmentation, step.epoch);
    const std::vector<int> labels = values_at(task_.images.labels(), step.images);
    BatchMoments moments;
    const double value = objective_.value_and_gradient(
        context_, {batch, labels, step.reconstructed}, state.now, gradient_, moments);
    if (!std::isfinite(value) || !all_finite(gradient_)) return std::nullopt;
    adam_update(gradient_, step.rates, state);
    return value;
  }

  BatchMoments moments_of(const JointParameters<float>& at,
                          std::span<const Index> images) override {
    MomentSums sums(Partition(std::ssize(images), task_.options.batch).count());
    for_batches(images, task_.options.batch, [&](Range, std::span<const Index> chosen) {
      const Matrix<float> batch = read_batch(context_, task_.images, chosen);
      sums.add<float>(context_.with_all_rows(), objective_.features(context_, batch, at));
    });
    return sums.moments();
  }

  Matrix<float> scores(const JointParameters<float>& at, const BatchMoments& moments,
                       std::span<const Index> images) override {
    Matrix<float> scores(static_cast<Index>(images.size()), at.bias.cols());
    for_batches(images, task_.options.batch, [&](Range rows, std::span<const Index> chosen) {
      const Matrix<float> batch = read_batch(context_, task_.images, chosen);
      scores.view().middleRows(rows.begin, rows.size()) =
          objective_.scores(context_, batch, at, moments).view();
    });
    return scores;
  }

 private:
  JointTask task_;
  Context context_;
  JointObjective<float> objective_;
  JointParameters<float> gradient_;
};

}  // namespace

std::unique_ptr<JointEngine> make_host_engine(const JointTask& task, const JointState& state) {
  return std::make_unique<HostEngine>(task, state);
}

std::unique_ptr<JointEngine> make_engine(const JointTask& task, const JointState& state) {
  std::unique_ptr<JointEngine> engine = make_device_engine(task, state);
  return engine ? std::move(engine) : make_host_engine(task, state);
}

}  // namespace krica
