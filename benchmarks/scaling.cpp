// SPDX-License-Identifier: BSD-3-Clause
//
// Strong scaling: the same work with 1, 2, 4 ... threads. The numbers of threads take turns, so
// that a machine that slows down slows all of them; the best run of each counts. Prints a Markdown
// table of seconds, speed-up and efficiency. The data is made up; no file is read.
//
//   krica_scaling [--threads 1,2,4] [--repeats 3] [--only SVM] [--jsonl FILE] [--quick]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "classify/standardiser.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "made_up.hpp"

namespace krica::benchmarks {
namespace {

/// One thread takes 0.2 to 5 seconds for each case at the usual sizes.
struct Sizes {
  Index atoms = kAtoms;
  Index small_atoms = 400;
  Index images = 512;
  Index samples = 16384;
  Index vectors = 100000;
  Index evaluations = 3;
  Index svm_samples = 2000;
  Index many_svm_samples = 20000;
};

constexpr Sizes kQuick{.atoms = 200,
                       .small_atoms = 50,
                       .images = 128,
                       .samples = 2048,
                       .vectors = 5000,
                       .evaluations = 1,
                       .svm_samples = 300,
                       .many_svm_samples = 2000};

/// `prepare` returns what is timed; it may be called again and again. Whatever a user would do once
/// before many such calls is done by `prepare` itself.
struct Case {
  std::string name;
  std::function<std::function<void()>(const Context&)> prepare;
};

/// A case with nothing to prepare.
Case simple_case(std::string name, std::function<void(const Context&)> run) {
  return {std::move(name),
          [run = std::move(run)](const Context& context) { return [&, run] { run(context); }; }};
}

template <class Made>
std::shared_ptr<const Made> share(Made made) {
  return std::make_shared<const Made>(std::move(made));
}

/// Evaluations of an objective on m random samples of n values.
struct Evaluations {
  Index m;
  Index n;
  Index K;
  Index count;
};

template <class Objective, class ObjectiveOptions>
Case gradient_case(const std::string& name, const Evaluations& size, ObjectiveOptions options) {
  const auto X = share(random_unit_rows(size.m, size.n, "X"));
  const auto W = share(random_unit_rows(size.K, size.n, "W"));
  options.n_components = size.K;
  return {fmt::format("{}, {} x {}, K {}", name, size.m, size.n, size.K),
          [=](const Context& context) {
            const auto objective = std::make_shared<Objective>(*X, options);
            return [=, &context] {
              Matrix<float> gradient(size.K, size.n);
              for (Index i = 0; i < size.count; ++i)
                objective->value_and_gradient(context, *W, gradient);
            };
          }};
}

Case krica_case(const Evaluations& size) {
  return gradient_case<KricaObjective<float>>("kRICA gradient", size,
                                              KricaOptions{.kernel = {.gamma = kGamma}});
}

Case rica_case(const Evaluations& size) {
  return gradient_case<RicaObjective<float>>("RICA gradient", size, RicaOptions{});
}

Case kmeans_case(Index m, Index n, Index K, Index iterations) {
  const auto X = share(random_matrix(m, n, "X"));
  const auto start = share(random_matrix(K, n, "start"));
  return simple_case(fmt::format("K-means, {} x {}, K {}", m, n, K), [=](const Context& context) {
    kmeans_from<float>(context, *X, *start,
                       {.n_clusters = K, .max_iterations = iterations, .tolerance = 0});
  });
}

Case encode_case(const std::shared_ptr<const Images>& images, Index K) {
  const auto extractor = share(make_extractor(*images, K, 1));
  const Index side = images->set->shape().height;
  return simple_case(
      fmt::format("encode {} images, {} x {}, K {}", images->set->size(), side, side, K),
      [=](const Context& context) {
        static_cast<void>(extractor->extract(context, *images->set));
      });
}

Case joint_case(const std::shared_ptr<const Images>& images, Index K, Index steps) {
  const Index side = images->set->shape().height;
  return {fmt::format("max-margin kRICA step, {} x {}, K {}", side, side, K),
          [=](const Context& context) {
            const auto step = std::make_shared<JointStep>(context, *images, K);
            return [=] {
              for (Index i = 0; i < steps; ++i) step->run();
            };
          }};
}

void fit_with_search(const Context& context, ConstMatrixView<float> features,
                     const std::vector<int>& labels) {
  SvmTrainer trainer(context, features, labels, 10, {});
  trainer.fit(trainer.choose_c().C);
}

/// Ten classes of correlated features, as pooled codes are, with the search for C.
Case svm_case(Index m, Index F) {
  constexpr Index kHidden = 200;
  Matrix<float> features = random_matrix(m, F, "noise");
  const Matrix<float> mixing = random_matrix(kHidden, F, "mixing");
  Matrix<float> hidden = random_matrix(m, kHidden, "hidden");
  std::vector<int> labels;
  for (Index i = 0; i < m; ++i) {
    labels.push_back(static_cast<int>(i % 10));
    hidden(i, i % 10) += 2;
  }
  features.view().noalias() += 0.3F * hidden.view() * mixing.view();
  return simple_case(fmt::format("SVM and search for C, {} x {}", m, F),
                     [features = share(std::move(features)), labels = share(std::move(labels))](
                         const Context& context) { fit_with_search(context, *features, *labels); });
}

/// Training with random patches as atoms, from images to classifier.
Case training_case(const std::shared_ptr<const Images>& images, Index K) {
  return simple_case(
      fmt::format("train on {} images, random patches, K {}", images->set->size(), K),
      [=, labels = images->labels()](const Context& context) {
        const ImageSet& set = *images->set;
        const Matrix<float> raw = sample_patches(context, set, 6, 100000).patches;
        const auto preprocessing = Preprocessing::fit(context, raw, {.unit_norm = true});
        const Matrix<float> patches = preprocessing.apply(context, raw);
        const FeatureExtractor extractor(
            {{.receptive_field = 6}}, set.shape(), preprocessing,
            Encoder({EncoderKind::kKernel, {.gamma = kGamma}},
                    ConstMatrixView<float>(patches).rows_between(0, K)));
        FeatureMatrix features = extractor.extract(context, set);
        Standardiser::fit(context, features.view()).apply_in_place(context, features.view());
        fit_with_search(context, features.view(), labels);
      });
}

/// Made one at a time, as their data takes memory.
std::vector<std::function<Case()>> cases(const Sizes& size) {
  const auto images = share(Images::in_colour(size.images));
  const auto built_in = share(Images::in_grey(size.svm_samples));  // its sizes
  const Index n = 36;  // 6 x 6 grey pixels, the built-in set's patches
  return {
      [=] { return encode_case(images, size.atoms); },
      [=] {
        return krica_case({size.samples, kPatchValues, size.atoms, size.evaluations});
      },
      [=] {
        return rica_case({size.samples, kPatchValues, size.atoms, 4 * size.evaluations});
      },
      [=] { return kmeans_case(size.vectors, kPatchValues, size.atoms, 2 * size.evaluations); },
      [=] { return joint_case(images, size.atoms, size.evaluations); },
      [=] { return svm_case(size.svm_samples, 4 * size.small_atoms); },
      [=] { return svm_case(size.svm_samples, 4 * size.atoms); },
      [=] { return svm_case(size.many_svm_samples, 4 * size.small_atoms); },
      [=] { return encode_case(built_in, size.small_atoms); },
      [=] { return encode_case(built_in, size.atoms); },
      [=] {
        return krica_case({size.samples, n, size.small_atoms, 3 * size.evaluations});
      },
      [=] { return kmeans_case(size.vectors / 5, n, size.small_atoms, 5 * size.evaluations); },
      [=] { return joint_case(built_in, size.small_atoms, 2 * size.evaluations); },
      [=] { return training_case(built_in, size.small_atoms); },
      [=] { return training_case(built_in, size.atoms); },
  };
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Timing {
  int threads;
  std::vector<double> runs;

  [[nodiscard]] double best() const { return *std::min_element(runs.begin(), runs.end()); }
};

std::vector<Timing> measure(const Case& work, const std::vector<int>& threads, int repeats) {
  std::vector<std::unique_ptr<const Context>> contexts;
  std::vector<std::function<void()>> runs;
  std::vector<Timing> timings;
  for (const int count : threads) {
    contexts.push_back(std::make_unique<const Context>(ContextOptions{.threads = count}));
    runs.push_back(work.prepare(*contexts.back()));
    timings.push_back({count, {}});
  }
  for (int round = 0; round < repeats; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) timings[i].runs.push_back(seconds_of(runs[i]));
  }
  return timings;
}

/// Relative to the first number of threads.
double speedup(const std::vector<Timing>& timings, const Timing& timing) {
  return timings.front().best() / timing.best();
}

double efficiency(const std::vector<Timing>& timings, const Timing& timing) {
  return speedup(timings, timing) * timings.front().threads / timing.threads;
}

std::string table_head(const std::vector<int>& threads) {
  std::string names = "| work |";
  std::string rule = "|---|";
  for (const int count : threads) {
    names += fmt::format(" {} {} |", count, count == 1 ? "thread" : "threads");
    rule += "---|";
  }
  return names + '\n' + rule + '\n';
}

std::string table_row(const Case& work, const std::vector<Timing>& timings) {
  std::string row = fmt::format("| {} |", work.name);
  for (const Timing& timing : timings) {
    row += fmt::format(" {:.3f} s, {:.2f} x, {:.0f} % |", timing.best(), speedup(timings, timing),
                       100 * efficiency(timings, timing));
  }
  return row + '\n';
}

std::string json_lines(const Case& work, const std::vector<Timing>& timings) {
  std::string lines;
  for (const Timing& timing : timings) {
    lines += fmt::format(
        R"({{"case": "{}", "threads": {}, "seconds": {:.6g}, "speedup": {:.4g}, "efficiency": {:.4g}, "runs": [{:.6g}]}})",
        work.name, timing.threads, timing.best(), speedup(timings, timing),
        efficiency(timings, timing), fmt::join(timing.runs, ", "));
    lines += '\n';
  }
  return lines;
}

struct Options {
  std::vector<int> threads;
  int repeats = 3;
  std::string only;
  std::string jsonl;
  bool quick = false;
};

int positive_number(const std::string& option, std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1)
    throw InvalidArgument(fmt::format("{}: {} is not a whole number > 0", option, text));
  return number;
}

std::vector<int> positive_numbers(const std::string& option, std::string_view text) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    numbers.push_back(positive_number(option, text.substr(0, comma)));
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

/// 1, 2, 4 ... and all that this process may use.
std::vector<int> usual_threads() {
  std::vector<int> numbers;
  const int all = Context().threads();
  for (int threads = 1; threads < all; threads *= 2) numbers.push_back(threads);
  numbers.push_back(all);
  return numbers;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--threads")
    options.threads = positive_numbers(name, value);
  else if (name == "--repeats")
    options.repeats = positive_number(name, value);
  else if (name == "--only")
    options.only = value;
  else if (name == "--jsonl")
    options.jsonl = value;
  else
    throw InvalidArgument(
        fmt::format("{} is not one of --threads, --repeats, --only, --jsonl, --quick", name));
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      options.quick = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw InvalidArgument(arguments[i] + " wants a value");
    set_option(options, arguments[i], arguments[i + 1]);
    ++i;
  }
  if (options.threads.empty()) options.threads = usual_threads();
  return options;
}

std::ofstream opened(const std::string& path) {
  std::ofstream file;
  if (path.empty()) return file;
  file.open(path);
  if (!file) throw IoError(fmt::format("cannot write {}", path));
  return file;
}

void run(const Options& options) {
  std::ofstream jsonl = opened(options.jsonl);
  fmt::print("Seconds, speed-up and efficiency; best of {}, in turns.\n\n", options.repeats);
  fmt::print("{}", table_head(options.threads));
  for (const auto& make : cases(options.quick ? kQuick : Sizes{})) {
    const Case work = make();
    if (work.name.find(options.only) == std::string::npos) continue;
    const std::vector<Timing> timings = measure(work, options.threads, options.repeats);
    fmt::print("{}", table_row(work, timings));
    std::fflush(stdout);
    if (jsonl.is_open()) jsonl << json_lines(work, timings) << std::flush;
  }
}

}  // namespace
}  // namespace krica::benchmarks

int main(int argc, char** argv) {
  try {
    krica::benchmarks::run(krica::benchmarks::parse({argv + 1, argv + argc}));
  } catch (const krica::InvalidArgument& error) {
    fmt::print(stderr, "krica_scaling: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "krica_scaling: {}\n", error.what());
    return 1;
  }
  return 0;
}
