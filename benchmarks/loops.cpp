// SPDX-License-Identifier: BSD-3-Clause
//
// The loops in which users' time goes, on made-up data of the usual sizes. Each prints its rate in
// operations a second, to be held beside BM_Sgemm's. The argument is the number of threads.
//
//   build/release/bin/krica_benchmarks --benchmark_filter=Krica
#include <benchmark/benchmark.h>

#include "krica/classify/linear_classifier.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "made_up.hpp"
#include "runtime/blas.hpp"

namespace krica {
namespace {

using namespace benchmarks;  // NOLINT(google-build-using-namespace): made-up data

Context context_of(const benchmark::State& state) {
  return Context({.threads = static_cast<int>(state.range(0))});
}

void set_rate(benchmark::State& state, double operations) {
  state.counters["operations"] = benchmark::Counter(
      operations * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void BM_Sgemm(benchmark::State& state) {
  constexpr Index n = 4096;
  const Context context = context_of(state);
  const Matrix<float> a = random_matrix(n, n, "a");
  const Matrix<float> b = random_matrix(n, n, "b");
  Matrix<float> c(n, n);
  for (auto _ : state) {
    blas::gemm<float>(context, blas::Op::kPlain, blas::Op::kPlain, 1.0F, a, b, 0.0F, c);
  }
  set_rate(state, 2.0 * n * n * n);
}

void BM_KricaGradient(benchmark::State& state) {
  constexpr Index m = 16384;
  const Index K = state.range(1);
  const Context context = context_of(state);
  const Matrix<float> X = random_unit_rows(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(K, kPatchValues, "W");
  Matrix<float> gradient(K, kPatchValues);
  KricaObjective<float> objective(X, {.n_components = K, .kernel = {.gamma = 3.0}});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(context, W, gradient));
  set_rate(state, static_cast<double>(3 * m * K * K + 4 * m * K * kPatchValues));
}

void BM_RicaGradient(benchmark::State& state) {
  constexpr Index m = 16384;
  const Index K = state.range(1);
  const Context context = context_of(state);
  const Matrix<float> X = random_matrix(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(K, kPatchValues, "W");
  Matrix<float> gradient(K, kPatchValues);
  RicaObjective<float> objective(X, {.n_components = K});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(context, W, gradient));
  set_rate(state, static_cast<double>(4 * m * K * kPatchValues));
}

void BM_Kmeans(benchmark::State& state) {
  constexpr Index m = 100000;
  constexpr Index iterations = 2;
  const Context context = context_of(state);
  const Matrix<float> X = random_matrix(m, kPatchValues, "X");
  const Matrix<float> start = random_matrix(kAtoms, kPatchValues, "start");
  const KmeansOptions options{.n_clusters = kAtoms, .max_iterations = iterations, .tolerance = 0};
  for (auto _ : state)
    benchmark::DoNotOptimize(kmeans_from<float>(context, X, start, options).inertia);
  set_rate(state, 2.0 * (iterations + 1) * m * kAtoms * kPatchValues);
}

/// With K atoms and the given stride.
void encode_and_pool(benchmark::State& state, Index K, Index stride) {
  const Context context = context_of(state);
  const Images images = Images::in_colour(JointStep::kBatch);
  const FeatureExtractor extractor = make_extractor(images, K, stride);
  for (auto _ : state) benchmark::DoNotOptimize(extractor.extract(context, *images.set));
  set_rate(state, static_cast<double>(2 * images.set->size() * extractor.positions() *
                                      kPatchValues * (K + kPatchValues)));
}

void BM_EncodeAndPool(benchmark::State& state) { encode_and_pool(state, kAtoms, 1); }

/// The same images as a step of joint training has.
void BM_EncodeAndPoolAsJointStep(benchmark::State& state) { encode_and_pool(state, 400, 2); }

/// One step of max-margin kRICA, forward and back.
void BM_JointStep(benchmark::State& state) {
  const Context context = context_of(state);
  const Images images = Images::in_colour(JointStep::kBatch);
  JointStep step(context, images, 400);
  for (auto _ : state) benchmark::DoNotOptimize(step.run());
}

void BM_Svm(benchmark::State& state) {
  constexpr Index m = 4000;
  const Context context = context_of(state);
  const Matrix<float> features = random_matrix(m, kAtoms, "features");
  std::vector<int> labels;
  for (Index i = 0; i < m; ++i) labels.push_back(static_cast<int>(i % 10));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        LinearClassifier::fit(context, features, labels, 10, {.C = 0.01}).objective());
}

BENCHMARK(BM_Sgemm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_KricaGradient)
    ->ArgNames({"threads", "K"})
    ->ArgsProduct({{1, 2}, {200, 400, kAtoms}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RicaGradient)
    ->ArgNames({"threads", "K"})
    ->ArgsProduct({{1, 2}, {200, 400, kAtoms}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Kmeans)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_EncodeAndPool)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_EncodeAndPoolAsJointStep)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_JointStep)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Svm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace krica

BENCHMARK_MAIN();
