// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/krica_device.hpp"

namespace krica::device {
namespace {

std::vector<float> unit_rows(std::size_t rows, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> X(rows * n);
  for (std::size_t i = 0; i < rows; ++i) {
    float squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      X[i * n + k] = normal(random);
      squares += X[i * n + k] * X[i * n + k];
    }
    for (std::size_t k = 0; k < n; ++k) X[i * n + k] /= std::sqrt(squares);
  }
  return X;
}

struct Kappa {
  double value;
  double slope;
};
Kappa kappa(const Mercer& kernel, const float* w, const float* x, std::size_t n) {
  double squared = 0;
  double dot = 0;
  for (std::size_t k = 0; k < n; ++k) {
    dot += static_cast<double>(w[k]) * static_cast<double>(x[k]);
    squared += std::pow(static_cast<double>(w[k]) - static_cast<double>(x[k]), 2);
  }
  const auto b = static_cast<double>(kernel.scale);
  switch (kernel.kind) {
    case MercerKind::kGaussian: {
      const double s = std::exp(-static_cast<double>(kernel.gamma) * squared);
      return {s, -2 * static_cast<double>(kernel.gamma) * s};
    }
    case MercerKind::kInverseSquareDistance: {
      const double s = 1 / (1 + b * squared);
      return {s, -2 * b * s * s};
    }
    case MercerKind::kInverseDistance: {
      const double z = std::sqrt(squared + 1e-8);
      const double s = 1 / (1 + b * z);
      return {s, -b * s * s / z};
    }
    case MercerKind::kLinear:
      return {dot, 1};
    default:
      return {std::pow(1 + dot, kernel.degree),
              kernel.degree * std::pow(1 + dot, kernel.degree - 1)};
  }
}

struct Evaluation {
  double value = 0;
  std::vector<double> gradient;
};

/// f and ∂f/∂W as in krica_device.hpp, with ρ = 1, λ = 0.01 and ε = 1e-4, which are the defaults.
class Reference {
 public:
  Reference(const Mercer& kernel, const std::vector<float>& X, const std::vector<float>& W,
            std::size_t n)
      : kernel_(kernel), X_(X), W_(W), n_(n), K_(W.size() / n), G_(K_ * K_) {
    for (std::size_t u = 0; u < K_; ++u) {
      for (std::size_t v = 0; v < K_; ++v) G_[u * K_ + v] = kappa(kernel, &W[u * n], &W[v * n], n);
    }
  }

  Evaluation evaluate() {
    const std::size_t m = X_.size() / n_;
    result_.gradient.assign(K_ * n_, 0.0);
    for (std::size_t i = 0; i < m; ++i) add_sample(&X_[i * n_]);
    result_.value /= static_cast<double>(m);
    for (double& value : result_.gradient) value /= static_cast<double>(m);
    return result_;
  }

 private:
  void add_sample(const float* x) {
    std::vector<Kappa> s(K_);
    for (std::size_t u = 0; u < K_; ++u) s[u] = kappa(kernel_, &W_[u * n_], x, n_);
    result_.value += kappa(kernel_, x, x, n_).value;
    for (std::size_t u = 0; u < K_; ++u) {
      double t = 0;
      for (std::size_t v = 0; v < K_; ++v) {
        t += s[v].value * G_[u * K_ + v].value;
        if (u != v || !is_distance(kernel_.kind))
          add(u, &W_[v * n_], 2 * s[u].value * s[v].value * G_[u * K_ + v].slope);
      }
      const double root = std::sqrt(1e-4 + s[u].value * s[u].value);
      result_.value += s[u].value * (t - 2 * s[u].value) + 0.01 * root;
      add(u, x, (2 * t - 4 * s[u].value + 0.01 * s[u].value / root) * s[u].slope);
    }
  }
  void add(std::size_t u, const float* x, double weight) {
    for (std::size_t k = 0; k < n_; ++k) {
      const auto w = static_cast<double>(W_[u * n_ + k]);
      const auto y = static_cast<double>(x[k]);
      result_.gradient[u * n_ + k] += weight * (is_distance(kernel_.kind) ? w - y : y);
    }
  }

  Mercer kernel_;
  const std::vector<float>& X_;
  const std::vector<float>& W_;
  std::size_t n_;
  std::size_t K_;
  std::vector<Kappa> G_;
  Evaluation result_;
};

void compare(MercerKind kind, bool tf32, std::size_t m, std::size_t n, std::size_t K) {
  KricaDeviceOptions options;
  options.kernel = {kind, 3.0F, 0.7F, 3};
  options.products = tf32 ? Products::kTf32 : Products::kFloat32;
  options.block_rows = 128;
  const auto X = unit_rows(m, n, 1);
  const auto W = unit_rows(K, n, 2);
  const Evaluation expected = Reference(options.kernel, X, W, n).evaluate();
  KricaDevice objective(X.data(), static_cast<std::int64_t>(m), static_cast<int>(n),
                        static_cast<int>(K), options);
  const DeviceArray<float> W_on_device(W);
  DeviceArray<float> gradient(std::vector<float>(K * n, NAN));
  const double value = objective.value_and_gradient(W_on_device.data(), gradient.data());
  const auto first = gradient.values();
  EXPECT_EQ(objective.value_and_gradient(W_on_device.data(), gradient.data()), value);
  EXPECT_EQ(std::memcmp(first.data(), gradient.values().data(), K * n * 4), 0);
  EXPECT_NEAR(value, expected.value, (tf32 ? 5e-3 : 1e-5) * std::abs(expected.value));
  EXPECT_LT(distance(first.data(), expected.gradient), tf32 ? 1e-2 : 1e-4);
}

TEST(KricaDevice, ChecksItsArgumentsBeforeItLooksForADevice) {
  const std::vector<float> X(6, 1.0F);
  KricaDeviceOptions options;
  EXPECT_THROW(KricaDevice(X.data(), 0, 3, 1, options), std::invalid_argument);
  EXPECT_THROW(KricaDevice(X.data(), 2, 0, 1, options), std::invalid_argument);
  EXPECT_THROW(KricaDevice(X.data(), 2, 3, 0, options), std::invalid_argument);
  options.kernel = {MercerKind::kPolynomial, 1, 1, 2};
  try {
    KricaDevice(X.data(), 2, 3, 1, options);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kUnsupported) << error.what();
  }
}

TEST(KricaDevice, WithoutADeviceSaysSo) {
  if (has_device()) return;
  const std::vector<float> X(6, 1.0F);
  try {
    KricaDevice(X.data(), 2, 3, 1, {});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice) << error.what();
  }
}

using OnDeviceKrica = OnDevice;

TEST_F(OnDeviceKrica, EveryKernel) {
  for (const bool tf32 : {false, true}) {
    for (int kind = 0; kind <= static_cast<int>(MercerKind::kPolynomial); ++kind) {
      SCOPED_TRACE(kind);
      compare(static_cast<MercerKind>(kind), tf32, 300, 108, 40);
    }
  }
}

TEST_F(OnDeviceKrica, OddSizes) {
  for (const bool tf32 : {false, true}) compare(MercerKind::kGaussian, tf32, 131, 17, 33);
}

}  // namespace
}  // namespace krica::device
