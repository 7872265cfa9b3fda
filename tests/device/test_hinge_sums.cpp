// SPDX-License-Identifier: BSD-3-Clause
//
// The SVM on a device against the CPU.
#include <gtest/gtest.h>

#include <random>

#include "classify/device_svm.hpp"
#include "classify/squared_hinge.hpp"
#include "device/device_needed.hpp"
#include "krica/classify/linear_classifier.hpp"

namespace krica::device {
namespace {

using OnDeviceSvm = OnDevice;

struct Samples {
  Matrix<float> Z;
  std::vector<int> labels;
  std::vector<float> weights;

  Samples(Index rows, Index cols, int classes) : Z(rows, cols) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<int>(i) % classes);
      weights.push_back(i % 7 == 0 ? 0.0F : 1.0F + 0.1F * static_cast<float>(i % 3));
      for (Index j = 0; j < cols; ++j)
        Z(i, j) = normal(random) + (j % classes == labels.back() ? 0.5F : 0.0F);
    }
  }
};

TEST_F(OnDeviceSvm, LossAndGradientAreTheCpus) {
  const Context on_gpu({.device = "cuda"});
  const Context on_cpu;
  for (const auto& [rows, cols, classes] : {std::tuple{3000, 131, 10}, {1, 5, 2}, {1025, 17, 3}}) {
    const Samples samples(rows, cols, classes);
    const auto sums = device_svm(on_gpu, samples.Z, samples.labels, classes);
    ASSERT_NE(sums, nullptr);
    SquaredHinge here(samples.Z, samples.labels, classes, samples.weights, 0.1);
    SquaredHinge there(samples.Z, samples.labels, classes, samples.weights, 0.1, sums.get());
    Matrix<float> W(here.rows(), here.cols());
    for (Index e = 0; e < W.size(); ++e) W.data()[e] = 0.01F * static_cast<float>(e % 13 - 6);
    Matrix<float> expected(W.rows(), W.cols());
    Matrix<float> gradient(W.rows(), W.cols());
    const double value = here.value_and_gradient(on_cpu, W, expected);
    EXPECT_NEAR(there.value_and_gradient(on_gpu, W, gradient), value, 1e-5 * value);
    EXPECT_NEAR(there.value(on_gpu, W), value, 1e-5 * value);
    EXPECT_LE((gradient.view() - expected.view()).norm(), 1e-4F * expected.view().norm());
    Matrix<float> again(W.rows(), W.cols());
    there.value_and_gradient(on_gpu, W, again);
    EXPECT_EQ(again.view(), gradient.view());
  }
}

TEST_F(OnDeviceSvm, FindsTheSameClassifier) {
  const Samples samples(4000, 150, 5);
  const auto fitted = [&](const Context& context) {
    return LinearClassifier::fit(context, samples.Z, samples.labels, 5, {.C = 0.01});
  };
  const LinearClassifier here = fitted(Context());
  const LinearClassifier there = fitted(Context({.device = "cuda"}));
  EXPECT_NEAR(there.objective(), here.objective(), 1e-3 * here.objective());
  EXPECT_LE((there.weights() - here.weights()).norm(), 2e-2F * here.weights().norm());
}

TEST_F(OnDeviceSvm, StaysOnTheCpuWithoutTheMemory) {
  const Samples samples(300, 20, 3);
  const Context little({.device = "cuda", .device_memory_bytes = 1 << 20});
  EXPECT_EQ(device_svm(little, samples.Z, samples.labels, 3), nullptr);
  EXPECT_EQ(device_svm(Context(), samples.Z, samples.labels, 3), nullptr);
}

}  // namespace
}  // namespace krica::device
