// SPDX-License-Identifier: BSD-3-Clause
//
// The loops in which users' time goes, on made-up data of the usual sizes. Each prints its rate in
// operations a second, to be held beside BM_Sgemm's. The argument is the number of threads.
//
//   build/release/bin/krica_benchmarks --benchmark_filter=Krica
#include <benchmark/benchmark.h>

#include <cmath>

#include "byte_images.hpp"
#include "joint/image_batch.hpp"
#include "krica/classify/linear_svm.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/features/extractor.hpp"
#include "krica/joint/objective.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/patches/sampling.hpp"
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
  const Index K = state.range(1);
  const Context context = context_of(state);
  const Matrix<float> X = random_unit_rows(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(K, kPatchValues, "W");
  Matrix<float> gradient(K, kPatchValues);
  KricaObjective<float> objective(context, X, {.n_components = K, .kernel = {.gamma = 3.0}});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(W, gradient));
  set_rate(state, static_cast<double>(3 * m * K * K + 4 * m * K * kPatchValues));
}

void BM_RicaGradient(benchmark::State& state) {
  constexpr Index m = 16384;
  const Index K = state.range(1);
  const Context context = context_of(state);
  const Matrix<float> X = random_matrix(m, kPatchValues, "X");
  const Matrix<float> W = random_unit_rows(K, kPatchValues, "W");
  Matrix<float> gradient(K, kPatchValues);
  RicaObjective<float> objective(context, X, {.n_components = K});
  for (auto _ : state) benchmark::DoNotOptimize(objective.value_and_gradient(W, gradient));
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

/// Made-up images, and what turns them into features.
struct Images {
  static constexpr Index kCount = 128;
  static constexpr Index kSide = 32;
  std::vector<std::uint8_t> bytes;
  benchmarks::ByteImages set;
  Preprocessing preprocessing;
  Matrix<float> patches;

  Images()
      : bytes(random_bytes()),
        set(bytes.data(), kCount, kSide, 3),
        preprocessing(Preprocessing::fit(Context(), raw(), {.unit_norm = true})),
        patches(preprocessing.apply(Context(), raw())) {}

  [[nodiscard]] Matrix<float> atoms(Index K) const {
    return Matrix<float>::copy_of(ConstMatrixView<float>(patches).rows_between(0, K));
  }

 private:
  static std::vector<std::uint8_t> random_bytes() {
    std::vector<std::uint8_t> made(kCount * kSide * kSide * 3);
    Random random = Context({.seed = 1}).random("images");
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random.below(256));
    return made;
  }
  [[nodiscard]] Matrix<float> raw() const {
    return sample_patches(Context(), set, 6, 5000).patches;
  }
};

constexpr double kGamma = 3;

/// With K atoms and the given stride.
void encode_and_pool(benchmark::State& state, Index K, Index stride) {
  const Context context = context_of(state);
  const Images images;
  const FeatureExtractor extractor(
      {.receptive_field = 6, .stride = stride}, images.set.shape(), images.preprocessing,
      Encoder({EncoderKind::kKernel, {.gamma = kGamma}}, images.atoms(K)));
  for (auto _ : state) benchmark::DoNotOptimize(extractor.extract(context, images.set));
  set_rate(state, static_cast<double>(2 * Images::kCount * extractor.positions() * kPatchValues *
                                      (K + kPatchValues)));
}

void BM_EncodeAndPool(benchmark::State& state) { encode_and_pool(state, kAtoms, 1); }

/// The same images as a step of joint training has.
void BM_EncodeAndPoolAsJointStep(benchmark::State& state) { encode_and_pool(state, 400, 2); }

/// One step of max-margin kRICA, forward and back.
void BM_JointStep(benchmark::State& state) {
  constexpr Index K = 400;
  const Context context = context_of(state);
  const Images images;
  const JointObjectiveOptions options{.kernel = {.gamma = kGamma},
                                      .features = {6, 2, 2, 2, false, 0.5}};
  JointObjective<float> objective(context, options, images.set.shape());
  ImageBatch batch(images.set, images.preprocessing, objective.grid(), options.features);
  std::vector<Index> chosen;
  std::vector<int> labels;
  for (Index i = 0; i < Images::kCount; ++i) {
    chosen.push_back(i);
    labels.push_back(static_cast<int>(i % 10));
  }
  JointParameters<float> at{images.atoms(K), Matrix<float>(1, K), random_matrix(10, 4 * K, "T"),
                            Matrix<float>(1, 10)};
  for (Index u = 0; u < K; ++u) at.log_gamma(0, u) = static_cast<float>(std::log(kGamma));
  JointParameters<float> gradient = at.zeros();
  BatchMoments moments;
  for (auto _ : state) {
    batch.load(context, chosen);
    benchmark::DoNotOptimize(objective.value_and_gradient({batch, labels}, at, gradient, moments));
  }
}

void BM_Svm(benchmark::State& state) {
  constexpr Index m = 4000;
  const Context context = context_of(state);
  const Matrix<float> features = random_matrix(m, kAtoms, "features");
  std::vector<int> labels;
  for (Index i = 0; i < m; ++i) labels.push_back(static_cast<int>(i % 10));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        LinearSvm::fit(context, features, labels, 10, {.C = 0.01}).objective());
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
