// SPDX-License-Identifier: BSD-3-Clause
//
// DeviceTwin: an objective's twin on the GPU (device/basis_twin.hpp), placed at the first
// evaluation in a context with one. The CPU evaluates in double, what device_supports() denies, and
// what does not fit the device's memory.
//
// An evaluation on all samples with enough work is divided into groups, which ranks share
// (objectives/grouped_evaluation.hpp); a batch is evaluated by every rank. Before each evaluation
// the ranks exchange a word: whether a device has failed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "device/basis_twin.hpp"
#include "device/device_groups.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "objectives/grouped_evaluation.hpp"
#include "objectives/placed_twin.hpp"
#include "objectives/samples.hpp"

namespace krica {

/// Whether kRICA with this kernel has a twin. RICA has one with all options.
bool device_supports(const Kernel& kernel);

/// The rest of the twin's options: `common` has those that do not depend on the objective. Labels
/// are needed if options.discrimination.weight > 0.
device::KricaTwinOptions twin_options(const KricaOptions& options, std::span<const int> labels,
                                      device::TwinOptions common);
device::RicaTwinOptions twin_options(const RicaOptions& options, std::span<const int> labels,
                                     device::TwinOptions common);

/// On samples of n values. kRICA has products of m K (2.5 K + 3 n) multiply-adds, and for each
/// group the Gram matrix in float32 and the gradient through it. RICA is bound by memory: 500 more
/// for each code; for each group it has the products of the reconstruction.
device::DeviceWork device_work(const KricaOptions& options, Index n);
device::DeviceWork device_work(const RicaOptions& options, Index n);

template <class Scalar>
class DeviceTwin {
 public:
  explicit DeviceTwin(device::DeviceWork work) : work_(work) {}

  /// Gets the samples, and options with the context's precision and memory.
  using Make = std::function<std::unique_ptr<device::BasisTwin>(const device::TwinSamples&,
                                                                device::TwinOptions)>;

  /// Whether evaluate() is to be called; if not, the CPU evaluates. Throws DeviceError if the
  /// context's device is missing or fails.
  bool is_in(const Context& context, const Samples<Scalar>& samples, const Make& make);

  /// As SampledObjective::evaluate, with the curvature unless it is empty.
  double evaluate(const Context& context, std::optional<std::span<const Index>> rows,
                  std::string_view operation, ConstMatrixView<Scalar> W,
                  MatrixView<Scalar>* gradient, std::span<double> curvature = {});

 private:
  device::DeviceWork work_;
  Index n_samples_ = 0;
  GroupSums<float> sums_;
  PlacedTwin<device::BasisTwin> placed_;
};

}  // namespace krica
