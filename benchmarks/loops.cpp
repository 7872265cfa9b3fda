// SPDX-License-Identifier: BSD-3-Clause
//
// The loops in which users' time goes, on made-up data of the usual sizes. Each prints its rate in
// operations a second, to be held beside BM_Sgemm's. The argument is the number of threads.
//
//   build/release/bin/krica_benchmarks --benchmark_filter=Krica
#include <benchmark/benchmark.h>

#include "krica/classify/svm_trainer.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/data/image_set.hpp"
#include "krica/features/extractor.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "runtime/blas.hpp"

namespace krica {
namespace {

constexpr Index kPatchValues = 108;
constexpr Index kAtoms = 1600;

Matrix<float> random_matrix(Index rows, Index cols, const char* name) {
  Matrix<float> matrix(rows, cols);
  Random random = Context({.seed = 1}).random(name);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(random.normal());
  return matrix;
}

Matrix<float> random_unit_rows(Index rows, Index cols, const char* name) {
  Matrix<float> matrix = random_matrix(rows, cols, name);
  matrix.view().rowwise().normalize();
  return matrix;
}

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
  const Context context = context_of(state);
  const Matrix<float> X = random_unit_rows(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(kAtoms, kPatchValues, "W");
  Matrix<float> gradient(kAtoms, kPatchValues);
  KricaObjective<float> objective(context, X, {.n_components = kAtoms, .kernel = {.gamma = 3.0}});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(W, gradient));
  set_rate(state, 3.0 * m * kAtoms * kAtoms + 4.0 * m * kAtoms * kPatchValues);
}

void BM_RicaGradient(benchmark::State& state) {
  constexpr Index m = 16384;
  const Context context = context_of(state);
  const Matrix<float> X = random_matrix(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(kAtoms, kPatchValues, "W");
  Matrix<float> gradient(kAtoms, kPatchValues);
  RicaObjective<float> objective(context, X, {.n_components = kAtoms});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(W, gradient));
  set_rate(state, 4.0 * m * kAtoms * kPatchValues);
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

BENCHMARK(BM_Sgemm)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_KricaGradient)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RicaGradient)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Kmeans)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace krica

BENCHMARK_MAIN();
