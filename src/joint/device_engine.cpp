// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <utility>

#include "classify/splits.hpp"
#include "device/image_store.hpp"
#include "device/margin_training.hpp"
#include "device/use_device.hpp"
#include "features/device_encoder.hpp"
#include "joint/engine.hpp"
#include "joint/image_batch.hpp"
#include "krica/runtime/error.hpp"
#include "krica/solvers/adam.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

using device::MarginVector;
using Parameters = JointParameters<float>;

constexpr std::size_t kMostScratch = std::size_t{4} << 30;
constexpr std::size_t kLeastScratch = std::size_t{16} << 20;
constexpr Index kImagesAtATime = 1024;  // read and sent

std::vector<float> packed(const Parameters& parameters) {
  std::vector<float> values;
  for (const Matrix<float>* part :
       {&parameters.W, &parameters.shapes, &parameters.T, &parameters.bias})
    values.insert(values.end(), part->data(), part->data() + part->size());
  return values;
}

void unpack(const std::vector<float>& values, Parameters& parameters) {
  const float* from = values.data();
  for (Matrix<float>* part : {&parameters.W, &parameters.shapes, &parameters.T, &parameters.bias}) {
    std::copy_n(from, part->size(), part->data());
    from += part->size();
  }
}

constexpr std::array<std::pair<MarginVector, Parameters JointState::*>, 3> kVectors = {{
    {MarginVector::kParameters, &JointState::now},
    {MarginVector::kFirstMoment, &JointState::first},
    {MarginVector::kSecondMoment, &JointState::second},
}};

std::optional<device::MarginSpec> spec_of(const JointTask& task, const Parameters& at) {
  const JointObjectiveOptions& objective = task.options.objective;
  std::optional<DeviceLayout> layout = device_layout(task.source);
  const std::optional<device::AtomSpec> atoms = device_atoms(objective.encoder, at.W, {});
  if (!layout || !atoms || objective.reconstruction > 0 ||
      objective.encoder.kind == EncoderKind::kTriangle)
    return std::nullopt;
  device::MarginSpec spec;
  spec.patch = layout->patch;
  spec.pool = std::move(layout->pool);
  spec.atoms = *atoms;
  spec.learn_shapes = at.shapes.size() > 0;
  spec.log_shapes = objective.encoder.kind == EncoderKind::kKernel;
  spec.classes = static_cast<int>(at.T.rows());
  spec.batch = static_cast<int>(task.options.batch);
  spec.power = task.source.power();
  spec.variance_floor = kVarianceFloor;
  spec.cross_entropy = objective.loss == MarginLoss::kCrossEntropy;
  spec.codes.products = device::products_of(task.context.precision());
  spec.codes.with_gradient = true;
  spec.codes.float_images = task.images.pixel_type() == PixelType::kFloat32;
  return spec;
}

/// Calls body again and again, after repair() each time that the device's memory did not suffice.
template <class Body, class Repair>
auto until_it_fits(Body body, Repair repair) {
  while (true) {
    try {
      return body();
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory) throw;
    }
    repair();
  }
}

class DeviceEngine final : public JointEngine {
 public:
  DeviceEngine(JointTask task, device::MarginSpec spec, const JointState& state)
      : task_(std::move(task)), spec_(std::move(spec)) {
    layout_ = {spec_.patch.channels, spec_.patch.height, spec_.patch.width,
               spec_.codes.float_images};
    plan_memory();
    make();
    load(state);
  }

  void load(const JointState& state) override {
    device::use_device(task_.context);
    for (const auto& [vector, part] : kVectors) training_->put(vector, packed(state.*part).data());
  }

  void store(JointState& state) override {
    device::use_device(task_.context);
    std::vector<float> values(spec_.parameters());
    for (const auto& [vector, part] : kVectors) {
      training_->get(vector, values.data());
      unpack(values, state.*part);
    }
  }

  std::optional<double> step(const JointStep& step, JointState& state) override {
    task_.context.check_cancelled();
    device::use_device(task_.context);
    const std::vector<int> labels = values_at(task_.images.labels(), step.images);
    const AdamOptions adam;
    const device::AdamStep update = {state.step + 1,   step.rates.basis, step.rates.classifier,
                                     step.rates.decay, adam.beta1,       adam.beta2,
                                     adam.epsilon};
    const auto loss = with_less_memory([&] {
      return training_->step(gathered(step.images, task_.options.augmentation, step.epoch), labels,
                             update);
    });
    if (!loss.finite) return std::nullopt;
    ++state.step;
    return loss.value;
  }

  BatchMoments moments_of(const Parameters& at, std::span<const Index> images) override {
    device::use_device(task_.context);
    return with_less_memory([&] {
      training_->put(MarginVector::kEvaluated, packed(at).data());
      training_->clear_moments();
      for_batches(images, task_.options.batch, [&](Range rows, std::span<const Index> chosen) {
        task_.context.check_cancelled();
        training_->add_moments(gathered(chosen), static_cast<int>(rows.size()));
      });
      BatchMoments moments{std::vector<double>(spec_.features()),
                           std::vector<double>(spec_.features())};
      training_->get_moments(moments.mean.data(), moments.variance.data());
      return moments;
    });
  }

  Matrix<float> scores(const Parameters& at, const BatchMoments& moments,
                       std::span<const Index> images) override {
    device::use_device(task_.context);
    return with_less_memory([&] {
      Matrix<float> scores(static_cast<Index>(images.size()), at.bias.cols());
      training_->put(MarginVector::kEvaluated, packed(at).data());
      training_->put_moments(moments.mean.data(), moments.variance.data());
      for_batches(images, task_.options.batch, [&](Range rows, std::span<const Index> chosen) {
        task_.context.check_cancelled();
        training_->scores(gathered(chosen), static_cast<int>(rows.size()), scores.row(rows.begin));
      });
      return scores;
    });
  }

 private:
  void plan_memory() {
    const std::size_t budget = device::memory_budget(task_.context);
    const std::size_t fixed =
        spec_.bytes() + 2 * static_cast<std::size_t>(spec_.batch) * layout_.bytes();
    const std::size_t all = static_cast<std::size_t>(task_.images.size()) * layout_.bytes();
    const std::size_t rest = budget > fixed ? budget - fixed : 0;
    if (rest < kLeastScratch) throw_out_of_memory(budget);
    resident_ = rest / 2 > all;
    spec_.codes.memory_bytes = std::min(rest - (resident_ ? all : 0), kMostScratch);
  }

  [[noreturn]] void throw_out_of_memory(std::size_t available) const {
    constexpr std::size_t kMebibyte = std::size_t{1} << 20;
    throw DeviceError(
        DeviceError::Trouble::kOutOfMemory,
        fmt::format("[max-margin] {} atoms and batches of {} images with {} features take about {} "
                    "MiB of the device's memory, which has {} for them; use a smaller batch, fewer "
                    "atoms, or --device cpu",
                    spec_.atoms.count, spec_.batch, spec_.features(),
                    (spec_.bytes() + kLeastScratch) / kMebibyte, available / kMebibyte));
  }

  /// Plans with less memory.
  void shrink() {
    if (resident_) {
      resident_ = false;
    } else if (spec_.codes.memory_bytes >= 2 * kLeastScratch) {
      spec_.codes.memory_bytes /= 2;
    } else {
      throw_out_of_memory(device::memory_budget(task_.context));
    }
  }

  void make() {
    until_it_fits([this] { make_as_planned(); }, [this] { shrink(); });
  }

  void make_as_planned() {
    training_.reset();  // before its successor needs the memory
    store_.reset();
    training_ = device::make_margin_training(spec_);
    const Index room = resident_ ? task_.images.size() : task_.options.batch;
    store_ = device::make_image_store(layout_, static_cast<std::size_t>(room));
    if (!resident_) return;
    const Partition rounds(room, kImagesAtATime);
    for (Index r = 0; r < rounds.count(); ++r) {
      std::vector<Index> chosen(static_cast<std::size_t>(rounds[r].size()));
      std::iota(chosen.begin(), chosen.end(), rounds[r].begin);
      send(chosen, static_cast<std::size_t>(rounds[r].begin));
    }
  }

  /// What body returns, which may be called again with images left on the host or fewer patches at
  /// a time. Parameters and moments survive that.
  template <class Body>
  std::invoke_result_t<Body> with_less_memory(Body body) {
    return until_it_fits(body, [this] {
      std::array<std::vector<float>, kVectors.size()> values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i].resize(spec_.parameters());
        training_->get(kVectors[i].first, values[i].data());
      }
      shrink();
      make();
      for (std::size_t i = 0; i < values.size(); ++i)
        training_->put(kVectors[i].first, values[i].data());
    });
  }

  /// Reads the images and puts them at `place` of the store and behind it.
  void send(std::span<const Index> chosen, std::size_t place) {
    task_.context.check_cancelled();
    pixels_.resize(chosen.size() * layout_.bytes());
    parallel_for(task_.context, std::ssize(chosen), [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      std::uint8_t* to = pixels_.data() + at * layout_.bytes();
      if (layout_.floats) {
        task_.images.read(chosen[at], 1, reinterpret_cast<float*>(to));
      } else {
        task_.images.read(chosen[at], 1, to);
      }
    });
    store_->put(place, chosen.size(), pixels_.data());
  }

  device::Pixels gathered(std::span<const Index> chosen, const Augmentation& augmentation = {},
                          std::uint64_t epoch = 0) {
    if (!resident_) send(chosen, 0);
    picks_.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Alteration alteration =
          alteration_of(task_.context, task_.images, chosen[i], augmentation, epoch);
      picks_[i] = {static_cast<int>(resident_ ? chosen[i] : static_cast<Index>(i)),
                   alteration.mirrored ? 1 : 0, static_cast<int>(alteration.down),
                   static_cast<int>(alteration.right)};
    }
    return store_->gather(picks_);
  }

  JointTask task_;
  device::MarginSpec spec_;
  device::ImageLayout layout_;
  bool resident_ = false;  // all images lie on the device
  std::unique_ptr<device::MarginTraining> training_;
  std::unique_ptr<device::ImageStore> store_;
  std::vector<device::ImagePick> picks_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

std::unique_ptr<JointEngine> make_device_engine(const JointTask& task, const JointState& state) {
  if (!task.context.cuda_device()) return nullptr;
  device::use_device(task.context);
  std::optional<device::MarginSpec> spec = spec_of(task, state.now);
  if (!spec) return nullptr;
  try {
    return std::make_unique<DeviceEngine>(task, std::move(*spec), state);
  } catch (const DeviceError& error) {
    if (error.trouble() != DeviceError::Trouble::kUnsupported) throw;
    return nullptr;
  }
}

}  // namespace krica
