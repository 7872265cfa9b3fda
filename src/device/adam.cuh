// SPDX-License-Identifier: BSD-3-Clause
//
// Adam's update as in solvers/adam_update.hpp, operation by operation in double: the same bits from
// the same gradient.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace krica::device {

struct AdamArgs {
  const float* gradient;
  float* values;
  float* first;
  float* second;
  std::size_t count;
  double beta1;
  double beta2;
  double correction1;  ///< 1 - beta1^step
  double correction2;
  double epsilon;
};

struct AdamRates {
  double rate;
  double decay;
};

/// Value i; no multiplication is fused with an addition.
__device__ inline void adam_update(const AdamArgs& args, const AdamRates& at, std::size_t i) {
  const auto g = static_cast<double>(args.gradient[i]);
  const double m = __dadd_rn(__dmul_rn(args.beta1, static_cast<double>(args.first[i])),
                             __dmul_rn(1 - args.beta1, g));
  const double v = __dadd_rn(__dmul_rn(args.beta2, static_cast<double>(args.second[i])),
                             __dmul_rn(__dmul_rn(1 - args.beta2, g), g));
  args.first[i] = static_cast<float>(m);
  args.second[i] = static_cast<float>(v);
  const auto old = static_cast<double>(args.values[i]);
  const double update = __ddiv_rn(__dmul_rn(at.rate, m / args.correction1),
                                  __dadd_rn(sqrt(v / args.correction2), args.epsilon));
  const double shrunk = __dmul_rn(__dmul_rn(at.rate, at.decay), old);
  args.values[i] = static_cast<float>(__dsub_rn(old, __dadd_rn(update, shrunk)));
}

}  // namespace krica::device
