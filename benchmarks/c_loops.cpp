// SPDX-License-Identifier: BSD-3-Clause
#include "c_loops.hpp"

#include <linear.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "byte_images.hpp"
#include "clustering/ksvd.hpp"
#include "features/extractor.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "patches/sampling.hpp"
#include "plain_ksvd.hpp"
#include "runtime/parallel.hpp"

namespace {

using krica::ConstMatrixView;
using krica::Context;
using krica::Index;
using krica::Matrix;
using krica::MatrixView;

/// body(), or what it threw on stderr and `failed`.
template <class Body, class Result>
Result guarded(Result failed, Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return failed;
  }
}

template <class Body>
int guarded(Body body) {
  return guarded(-1, [&] {
    body();
    return 0;
  });
}

using krica::benchmarks::ByteImages;

constexpr Index kLearningPatches = 20000;

struct Extractor {
  krica::Archive preprocessing;
  krica::FeatureExtractor extractor;
};

Extractor make_extractor(const ByteImages& images, Index field, Index K, double gamma) {
  const Context context;
  const Matrix<float> raw = krica::sample_patches(context, images, field, kLearningPatches).patches;
  const auto preprocessing = krica::Preprocessing::fit(context, raw, {.unit_norm = true});
  const Matrix<float> patches = preprocessing.apply(context, raw);
  krica::Encoder encoder({krica::EncoderKind::kKernel, {.gamma = gamma}},
                         ConstMatrixView<float>(patches).rows_between(0, K));
  krica::Archive archive;
  preprocessing.save(archive);
  return {std::move(archive), krica::FeatureExtractor({{.receptive_field = field}}, images.shape(),
                                                      preprocessing, std::move(encoder))};
}

/// An objective, and what it refers to.
struct Objective {
  Context context;
  std::unique_ptr<krica::Objective<float>> objective;
};

/// The codes of samples, tile by tile.
void encode_samples(const krica::EncoderOptions& options, ConstMatrixView<float> X,
                    ConstMatrixView<float> atoms, int threads, MatrixView<float> codes) {
  const krica::Encoder encoder(options, atoms);
  const krica::Partition tiles(X.rows(), 128);
  krica::parallel_for(Context({.threads = threads}), tiles.count(), [&](Index t) {
    encoder.encode(X.rows_between(tiles[t].begin, tiles[t].end),
                   codes.rows_between(tiles[t].begin, tiles[t].end));
  });
}

/// LIBLINEAR's own form of a problem, the bias as a last feature.
struct Liblinear {
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
  std::vector<double> labels;
  problem task{};
};

void silent(const char* /*text*/) {}

}  // namespace

void* krica_extractor(const std::uint8_t* images, std::int64_t count, std::int64_t side,
                      std::int64_t channels, std::int64_t field, std::int64_t K, double gamma) {
  return guarded(static_cast<Extractor*>(nullptr), [&] {
    return new Extractor(
        make_extractor(ByteImages(images, count, side, channels), field, K, gamma));
  });
}

void krica_extractor_free(void* extractor) { delete static_cast<Extractor*>(extractor); }

void krica_extractor_parts(const void* extractor, float* transform, float* offset, float* atoms) {
  const auto& parts = *static_cast<const Extractor*>(extractor);
  const Matrix<float> matrix = parts.preprocessing.matrix<float>("whitening.transform");
  const std::vector<float> shift = parts.preprocessing.vector<float>("whitening.offset");
  const ConstMatrixView<float> W = parts.extractor.encoder().atoms();
  std::copy(matrix.data(), matrix.data() + matrix.size(), transform);
  std::copy(shift.begin(), shift.end(), offset);
  MatrixView<float>(atoms, W.rows(), W.cols()) = W;
}

int krica_encode(const void* extractor, const std::uint8_t* images, std::int64_t count, int threads,
                 float* features) {
  return guarded([&] {
    const krica::FeatureExtractor& made = static_cast<const Extractor*>(extractor)->extractor;
    const ByteImages set(images, count, made.shape().height, made.shape().channels);
    krica::FeatureMatrix result = made.extract(Context({.threads = threads}), set);
    for (Index i = 0; i < count; ++i)
      std::copy(result.row(i), result.row(i) + result.cols(), features + i * result.cols());
  });
}

int krica_patches(const std::uint8_t* images, std::int64_t image_count, std::int64_t side,
                  std::int64_t channels, std::int64_t field, std::int64_t count, float* patches) {
  return guarded([&] {
    const Context context;
    const Matrix<float> raw =
        krica::sample_patches(context, ByteImages(images, image_count, side, channels), field,
                              count)
            .patches;
    const Matrix<float> done = krica::Preprocessing::fit(context, raw, {}).apply(context, raw);
    std::copy(done.data(), done.data() + done.size(), patches);
  });
}

void* krica_objective(const float* X, std::int64_t m, std::int64_t n, std::int64_t K, double gamma,
                      double sparsity, double epsilon, int threads) {
  return guarded(static_cast<Objective*>(nullptr), [&] {
    auto made = std::make_unique<Objective>(Objective{Context({.threads = threads}), nullptr});
    const krica::KricaOptions options{
        .n_components = K, .kernel = {.gamma = gamma}, .sparsity = sparsity, .epsilon = epsilon};
    made->objective =
        std::make_unique<krica::KricaObjective<float>>(ConstMatrixView<float>(X, m, n), options);
    return made.release();
  });
}

void* krica_rica_objective(const float* X, std::int64_t m, std::int64_t n, std::int64_t K,
                           double sparsity, double epsilon, int threads) {
  return guarded(static_cast<Objective*>(nullptr), [&] {
    auto made = std::make_unique<Objective>(Objective{Context({.threads = threads}), nullptr});
    const krica::RicaOptions options{.n_components = K, .weight = sparsity, .epsilon = epsilon};
    made->objective =
        std::make_unique<krica::RicaObjective<float>>(ConstMatrixView<float>(X, m, n), options);
    return made.release();
  });
}

void krica_objective_free(void* objective) { delete static_cast<Objective*>(objective); }

int krica_value_and_gradient(void* objective, const float* W, double* value, float* gradient) {
  return guarded([&] {
    const auto& made = *static_cast<Objective*>(objective);
    krica::Objective<float>& f = *made.objective;
    *value = f.value_and_gradient(made.context, ConstMatrixView<float>(W, f.rows(), f.cols()),
                                  MatrixView<float>(gradient, f.rows(), f.cols()));
  });
}

int krica_kmeans(const float* X, std::int64_t m, std::int64_t n, float* centers, std::int64_t K,
                 std::int64_t iterations, int threads, double* inertia) {
  return guarded([&] {
    const krica::KmeansOptions options{
        .n_clusters = K, .max_iterations = iterations, .tolerance = 0};
    const auto result =
        krica::kmeans_from<float>(Context({.threads = threads}), ConstMatrixView<float>(X, m, n),
                                  ConstMatrixView<float>(centers, K, n), options);
    std::copy(result.centers.data(), result.centers.data() + K * n, centers);
    *inertia = result.inertia;
  });
}

int krica_omp(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
              std::int64_t nonzeros, int threads, float* codes) {
  return guarded([&] {
    encode_samples({.kind = krica::EncoderKind::kSignedOmp, .nonzeros = nonzeros}, {X, m, n},
                   {atoms, K, n}, threads, {codes, m, K});
  });
}

int krica_lasso(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
                double sparsity, int threads, float* codes) {
  return guarded([&] {
    encode_samples({.kind = krica::EncoderKind::kSignedLasso,
                    .kernel = {.kind = krica::KernelKind::kLinear},
                    .sparsity = 2 * sparsity},
                   {X, m, n}, {atoms, K, n}, threads, {codes, m, K});
  });
}

int krica_ksvd(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
               std::int64_t nonzeros, std::int64_t iterations, int plain, int threads,
               double* cost) {
  return guarded([&] {
    const ConstMatrixView<float> samples(X, m, n);
    const ConstMatrixView<float> start(atoms, K, n);
    if (plain == 0) {
      const krica::KsvdOptions options{.n_atoms = K,
                                       .nonzeros = nonzeros,
                                       .max_iterations = iterations,
                                       .tolerance = 0,
                                       .coherence = 2};
      *cost = krica::ksvd<float>(Context({.threads = threads}), samples, start, options).cost;
      return;
    }
    krica::benchmarks::PlainKsvd ksvd(samples, start, nonzeros);
    *cost = ksvd.code();
    for (Index i = 0; i < iterations; ++i) {
      ksvd.update();
      *cost = ksvd.code();
    }
  });
}

int krica_svm(const float* features, std::int64_t m, std::int64_t F, const std::int32_t* labels,
              std::int64_t classes, double C, int threads, float* weights) {
  return guarded([&] {
    const std::vector<int> given(labels, labels + m);
    const auto svm = krica::LinearClassifier::fit(Context({.threads = threads}),
                                                  ConstMatrixView<float>(features, m, F), given,
                                                  classes, {.C = C});
    MatrixView<float>(weights, classes, F + 1) = svm.weights();
  });
}

void* krica_liblinear(const float* features, std::int64_t m, std::int64_t F,
                      const std::int32_t* labels) {
  auto made = std::make_unique<Liblinear>();
  made->nodes.reserve(static_cast<std::size_t>(m * (F + 2)));
  for (Index i = 0; i < m; ++i) {
    made->rows.push_back(made->nodes.data() + made->nodes.size());
    for (Index j = 0; j < F; ++j)
      made->nodes.push_back({static_cast<int>(j + 1), static_cast<double>(features[i * F + j])});
    made->nodes.push_back({static_cast<int>(F + 1), 1.0});
    made->nodes.push_back({-1, 0.0});
    made->labels.push_back(labels[i]);
  }
  made->task = {static_cast<int>(m), static_cast<int>(F + 1), made->labels.data(),
                made->rows.data(), 1.0};
  return made.release();
}

void krica_liblinear_free(void* problem) { delete static_cast<Liblinear*>(problem); }

int krica_liblinear_train(void* problem, std::int64_t classes, double C, double tolerance, int dual,
                          float* weights) {
  const Liblinear& made = *static_cast<const Liblinear*>(problem);
  parameter options{};
  options.solver_type = dual != 0 ? L2R_L2LOSS_SVC_DUAL : L2R_L2LOSS_SVC;
  options.eps = tolerance;
  options.C = C;
  set_print_string_function(silent);
  model* trained = train(&made.task, &options);
  const Index width = made.task.n;
  for (int c = 0; c < classes; ++c) {
    for (Index j = 0; j < width; ++j)
      weights[trained->label[c] * width + j] =
          static_cast<float>(trained->w[j * trained->nr_class + c]);
  }
  free_and_destroy_model(&trained);
  return 0;
}
