// SPDX-License-Identifier: BSD-3-Clause
//
// Times on a CUDA device, by CUDA's events, the median of five after a warm-up; generated images
// and samples. No arguments: the table of docs/gpu.md. Otherwise one line of it:
//   krica_device_benchmarks encode IMAGES ATOMS GRID PRECISION
//   krica_device_benchmarks epoch IMAGES ATOMS GRID PRECISION BATCH
//   krica_device_benchmarks train IMAGES ATOMS GRID PRECISION BATCH
//   krica_device_benchmarks krica PRECISION
//   krica_device_benchmarks rica PRECISION
//   krica_device_benchmarks kmeans
// PRECISION: tf32, bf16, bf16x3 or float32 (krica and rica: all but bf16x3).
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "device/basis_twin.hpp"
#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/clustering_twin.hpp"
#include "device/device_memory.hpp"
#include "device/image_store.hpp"
#include "device/margin_training.hpp"
#include "device/pooled_gradient.hpp"
#include "device/problem.hpp"

namespace krica::device {
namespace {

constexpr int kImageBytes = 3 * 32 * 32;

Products precision_of(const std::string& name) {
  if (name == "tf32") return Products::kTf32;
  if (name == "bf16") return Products::kBf16;
  return name == "bf16x3" ? Products::kBf16x3 : Products::kFloat32;
}

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&begin_), "event");
    check(cudaEventCreate(&end_), "event");
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  template <class Body>
  double milliseconds(Body&& body) {
    check(cudaEventRecord(begin_), "event");
    body();
    check(cudaEventRecord(end_), "event");
    check(cudaEventSynchronize(end_), "run");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "event");
    return static_cast<double>(ms);
  }
  template <class Body>
  double median(Body&& body) {
    body();
    std::array<double, 5> times = {};
    for (double& time : times) time = milliseconds(body);
    std::sort(times.begin(), times.end());
    return times[2];
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

void time_encoding(int images, int atoms, int side, const std::string& precision) {
  const Problem problem(3, 32, 32, 6, 1, side, side, CodeKind::kGaussian, atoms, 1);
  const auto pixels = random_images(1000, 3, 32, 32, 3);
  DeviceArray<std::uint8_t> on_device;
  on_device.fit(static_cast<std::size_t>(images) * kImageBytes);
  for (int first = 0; first < images; first += 1000)
    copy(on_device.data() + static_cast<std::size_t>(first) * kImageBytes, pixels.data(),
         static_cast<std::size_t>(std::min(1000, images - first)) * kImageBytes);
  PooledEncoder encoder(problem.patch_spec(), problem.pool, problem.atom_spec(),
                        precision_of(precision));
  DeviceArray<float> features;
  features.fit(static_cast<std::size_t>(images) * encoder.features());
  Stopwatch watch;
  const double ms =
      watch.median([&] { encoder.encode(on_device.data(), images, features.data()); });
  const double products = 2.0 * images * 729.0 * atoms * 108;
  std::printf("encode and pool %d images, %d atoms, %dx%d, %s: %.2f ms, %.0f TFLOP/s\n", images,
              atoms, side, side, precision.c_str(), ms, products / ms / 1e9);
}

/// Patches, atoms packed, features and gradient, batch by batch; no loss and no step of a solver.
void time_epoch(int images, int atoms, int side, const std::string& precision, int batch) {
  const Problem problem(3, 32, 32, 6, 1, side, side, CodeKind::kGaussian, atoms, 1);
  const DeviceArray<std::uint8_t> on_device(random_images(batch, 3, 32, 32, 3));
  PooledEncoder encoder(problem.patch_spec(), problem.pool, problem.atom_spec(),
                        precision_of(precision));
  PooledGradient backward(encoder, problem.pool);
  const DeviceArray<float> W(problem.W);
  const DeviceArray<float> shapes(problem.shapes);
  AtomSpec spec = problem.atom_spec();
  spec.W = W.data();
  spec.shapes = shapes.data();
  DeviceArray<float> features;
  features.fit(static_cast<std::size_t>(batch) * encoder.features());
  DeviceArray<float> gradient;
  gradient.fit(problem.W.size());
  DeviceArray<float> gradient_shapes;
  gradient_shapes.fit(problem.shapes.size());
  Stopwatch watch;
  double sum = 0;
  for (int step = -2; step < images / batch; ++step) {
    const double ms = watch.milliseconds([&] {
      encoder.set_atoms(spec);
      encoder.read(on_device.data(), batch);
      encoder.encode_read(features.data());
      backward.run(features.data(), gradient.data(), gradient_shapes.data());
    });
    if (step >= 0) sum += ms;
  }
  std::printf("epoch of %d images, %d atoms, %dx%d, %s, batches of %d: %.1f ms\n", images, atoms,
              side, side, precision.c_str(), batch, sum);
}

MarginSpec margin_spec(const Problem& problem, const std::string& precision, int batch) {
  MarginSpec spec;
  spec.patch = problem.patch_spec();
  spec.pool = problem.pool;
  spec.atoms = problem.atom_spec();
  spec.learn_shapes = true;
  spec.log_shapes = true;
  spec.classes = 10;
  spec.batch = batch;
  spec.power = 0.5;
  spec.codes.products = precision_of(precision);
  spec.codes.with_gradient = true;
  return spec;
}

/// An epoch of max-margin training with flips and crops, overlapping cells: all that a step does
/// but drawing its images, which are random.
void time_training(int images, int atoms, int side, const std::string& precision, int batch) {
  const Problem problem(3, 32, 32, 6, 1, side, side, CodeKind::kGaussian, atoms, 1, -1, true);
  const auto training = make_margin_training(margin_spec(problem, precision, batch));
  std::vector<float> start = problem.W;
  for (const float shape : problem.shapes) start.push_back(std::log(shape));
  start.resize(margin_spec(problem, precision, batch).parameters(), 0.0F);
  training->put(MarginVector::kParameters, start.data());
  const auto pixels = random_images(1000, 3, 32, 32, 3);
  const auto store = make_image_store({3, 32, 32, false}, static_cast<std::size_t>(images));
  for (int first = 0; first < images; first += 1000)
    store->put(static_cast<std::size_t>(first),
               static_cast<std::size_t>(std::min(1000, images - first)), pixels.data());
  std::mt19937 random(5);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  std::vector<ImagePick> picks(static_cast<std::size_t>(batch));
  std::vector<int> labels(picks.size());
  Stopwatch watch;
  AdamStep adam = {.basis_rate = 1e-3, .classifier_rate = 1e-3, .decay = 0.1};
  double sum = 0;
  for (int step = -2; step < images / batch; ++step) {
    for (ImagePick& pick : picks) pick = {below(images), below(2), below(9) - 4, below(9) - 4};
    for (int& label : labels) label = below(10);
    const double ms = watch.milliseconds([&] {
      training->step(store->gather(picks), labels, adam);
      ++adam.step;
    });
    if (step >= 0) sum += ms;
  }
  std::printf("training, an epoch of %d images, %d atoms, %dx%d, %s, batches of %d: %.1f ms\n",
              images, atoms, side, side, precision.c_str(), batch, sum);
}

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

constexpr int kSamples = 400000;
constexpr int kValues = 108;
constexpr int kWidth = 112;
constexpr int kAtoms = 1600;

TwinSamples learning_samples() {
  static const auto X = unit_rows(kSamples, kValues, 1);
  return {X.data(), kSamples, kValues, kValues};
}
std::vector<float> learning_atoms() { return unit_rows(kAtoms, kValues, 2); }

/// The products of a pass over all samples, `rows` at a time.
class PassProducts {
 public:
  PassProducts(Products products, int rows)
      : products_(products), most_(rows), rows_(rows), W_(unit_rows(kAtoms, kWidth, 2)) {
    X_.assign(unit_rows(static_cast<std::size_t>(rows), kWidth, 1));
    D_.fit(kAtoms * kWidth);
    S_.fit(static_cast<std::size_t>(rows) * kAtoms);
    codes();
  }

  template <class Block>
  void pass(Block block) {
    for (int first = 0; first < kSamples; first += most_) {
      rows_ = std::min(most_, kSamples - first);
      block();
    }
  }
  /// S = X Wᵀ.
  void codes() {
    product({rows_, kAtoms, kWidth}, {X_.data(), kWidth}, {W_.data(), kWidth}, S_.data());
  }
  /// D = Mᵀ X, of transposed operands; the codes stand in for M.
  void sums() {
    product({kAtoms, kWidth, rows_}, {S_.data(), most_}, {X_.data(), most_}, D_.data());
  }
  /// T = S G and SᵀS.
  void squares() {
    T_.fit(S_.size());
    G_.fit(std::size_t{kAtoms} * kAtoms);
    product({kAtoms, kAtoms, rows_}, {S_.data(), most_}, {S_.data(), most_}, G_.data());
    product({rows_, kAtoms, kAtoms}, {S_.data(), kAtoms}, {G_.data(), kAtoms}, T_.data());
  }

 private:
  void product(ProductSize size, ConstDeviceMatrix A, ConstDeviceMatrix B, float* C) {
    Blas::current().product(products_, size, Op::kPlain, A, Op::kTransposed, B, {C, size.cols});
  }

  Products products_;
  int most_;
  int rows_;  // of the block
  DeviceArray<float> X_;
  DeviceArray<float> W_;
  DeviceArray<float> S_;
  DeviceArray<float> D_;
  DeviceArray<float> T_;
  DeviceArray<float> G_;
};

void report(const char* what, const std::string& precision, double ms, double products) {
  std::printf("%s, %d x %d, %d atoms, %s: %.2f ms; its products alone %.2f ms (%.2f)\n", what,
              kSamples, kValues, kAtoms, precision.c_str(), ms, products, products / ms);
}

double time_evaluation(BasisTwin& twin) {
  const std::vector<float> W = learning_atoms();
  std::vector<float> gradient(W.size());
  return Stopwatch().median([&] { twin.evaluate(W.data(), {}, gradient.data()); });
}

void time_krica(const std::string& precision) {
  KricaTwinOptions options;
  options.common = {.atoms = kAtoms, .products = precision_of(precision)};
  options.kernel.gamma = 3;
  const double ms = time_evaluation(*make_krica_twin(learning_samples(), options));
  PassProducts products(options.common.products, 32768);
  report("kRICA value and gradient", precision, ms, Stopwatch().median([&] {
    products.pass([&] {
      products.codes();
      products.squares();
      products.sums();
    });
  }));
}

void time_rica(const std::string& precision) {
  RicaTwinOptions options;
  options.common = {.atoms = kAtoms, .products = precision_of(precision)};
  const double ms = time_evaluation(*make_rica_twin(learning_samples(), options));
  PassProducts products(options.common.products, 32768);
  report("RICA value and gradient", precision, ms, Stopwatch().median([&] {
    products.pass([&] {
      products.codes();
      products.sums();
    });
  }));
}

void time_kmeans() {
  const auto twin =
      make_clustering_twin(learning_samples(), kAtoms, Match::kNearest, std::size_t{4} << 30);
  const std::vector<float> centers = learning_atoms();
  std::vector<std::int64_t> assignment(kSamples);
  std::vector<double> costs(kSamples);
  std::vector<double> sums(centers.size());
  const SampleRange all = {0, kSamples};
  const double assigning =
      Stopwatch().median([&] { twin->assign(centers.data(), all, assignment, costs); });
  const double adding = Stopwatch().median([&] { twin->add_up(all, assignment, sums.data()); });
  PassProducts products(Products::kFloat32, 8192);
  std::printf("K-means: %.2f ms for the assignments, %.2f ms for the sums\n", assigning, adding);
  report("K-means pass", "float32", assigning + adding,
         Stopwatch().median([&] { products.pass([&] { products.codes(); }); }));
}

void time_all() {
  for (const char* precision : {"tf32", "bf16", "bf16x3", "float32"}) {
    for (const int atoms : {4000, 1600}) {
      for (const int side : {2, 4}) time_encoding(60000, atoms, side, precision);
    }
  }
  for (const char* precision : {"bf16x3", "bf16"}) time_epoch(50000, 4000, 4, precision, 500);
  for (const char* precision : {"bf16x3", "bf16"}) {
    for (const int batch : {500, 128}) time_training(50000, 4000, 4, precision, batch);
  }
  for (const char* precision : {"tf32", "float32"}) {
    time_krica(precision);
    time_rica(precision);
  }
  time_kmeans();
}

int run(const std::vector<std::string>& arguments) {
  const auto number = [&](std::size_t i) { return std::stoi(arguments[i]); };
  const std::string what = arguments.empty() ? "" : arguments[0];
  if (arguments.empty()) {
    time_all();
  } else if (what == "encode" && arguments.size() == 5) {
    time_encoding(number(1), number(2), number(3), arguments[4]);
  } else if (what == "epoch" && arguments.size() == 6) {
    time_epoch(number(1), number(2), number(3), arguments[4], number(5));
  } else if (what == "train" && arguments.size() == 6) {
    time_training(number(1), number(2), number(3), arguments[4], number(5));
  } else if (what == "krica" && arguments.size() == 2) {
    time_krica(arguments[1]);
  } else if (what == "rica" && arguments.size() == 2) {
    time_rica(arguments[1]);
  } else if (what == "kmeans" && arguments.size() == 1) {
    time_kmeans();
  } else {
    std::fprintf(stderr, "see the head of benchmarks/device.cu for the arguments\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace krica::device

int main(int argc, char** argv) {
  try {
    return krica::device::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
