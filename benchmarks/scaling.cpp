// SPDX-License-Identifier: BSD-3-Clause
//
// Strong scaling: the same work with 1, 2, 4 ... threads, the numbers of threads in turns, so that
// a machine that slows down slows all of them. Prints the medians with speed-up and efficiency.
//
//   krica_scaling [--threads 1,2,4] [--repeats 5] [--only svm] [--jsonl FILE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "krica/classify/svm_trainer.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "made_up.hpp"

namespace krica::benchmarks {
namespace {

struct Options {
  std::vector<int> threads;
  int repeats = 5;
  std::string only;
  std::string jsonl;
};

/// run(context) does the work once.
struct Case {
  std::string name;
  std::function<void(const Context&)> run;
};

template <class Objective, class ObjectiveOptions>
Case gradient_case(const std::string& name, Index K, ObjectiveOptions options) {
  auto X = std::make_shared<Matrix<float>>(random_unit_rows(16384, kPatchValues, "X"));
  auto W = std::make_shared<Matrix<float>>(random_unit_rows(K, kPatchValues, "W"));
  options.n_components = K;
  return {fmt::format("{}, m 16384, K {}", name, K), [=](const Context& context) {
            Matrix<float> gradient(K, kPatchValues);
            Objective objective(context, *X, options);
            for (int i = 0; i < 3; ++i) objective.value_and_gradient(*W, gradient);
          }};
}

Case kmeans_case() {
  auto X = std::make_shared<Matrix<float>>(random_matrix(100000, kPatchValues, "X"));
  auto start = std::make_shared<Matrix<float>>(random_matrix(kAtoms, kPatchValues, "start"));
  return {"K-means, 100000 x 108, K 1600", [=](const Context& context) {
            kmeans_from<float>(context, *X, *start,
                               {.n_clusters = kAtoms, .max_iterations = 2, .tolerance = 0});
          }};
}

/// Ten classes of correlated features, as pooled codes are, with the search for C.
Case svm_case(Index m, Index F) {
  constexpr Index kHidden = 200;
  auto features = std::make_shared<Matrix<float>>(random_matrix(m, F, "noise"));
  auto labels = std::make_shared<std::vector<int>>();
  const Matrix<float> mixing = random_matrix(kHidden, F, "mixing");
  Matrix<float> hidden = random_matrix(m, kHidden, "hidden");
  for (Index i = 0; i < m; ++i) {
    labels->push_back(static_cast<int>(i % 10));
    hidden(i, i % 10) += 2;
  }
  features->view().noalias() += 0.3F * hidden.view() * mixing.view();
  return {fmt::format("SVM with its search for C, {} x {}", m, F), [=](const Context& context) {
            SvmTrainer trainer(context, *features, *labels, 10, {});
            trainer.fit(trainer.choose_c().C);
          }};
}

std::vector<std::function<Case()>> cases() {
  auto images = std::make_shared<Images>();
  return {
      [=] {
        return Case{
            "encode and pool, 128 images, K 1600", [=](const Context& context) {
              static_cast<void>(make_extractor(*images, kAtoms, 1).extract(context, images->set));
            }};
      },
      [] {
        return gradient_case<KricaObjective<float>>("kRICA gradient", kAtoms,
                                                    KricaOptions{.kernel = {.gamma = kGamma}});
      },
      [] {
        return gradient_case<KricaObjective<float>>("kRICA gradient", 400,
                                                    KricaOptions{.kernel = {.gamma = kGamma}});
      },
      [] { return gradient_case<RicaObjective<float>>("RICA gradient", kAtoms, RicaOptions{}); },
      kmeans_case,
      [=] {
        return Case{"max-margin step, 128 images, K 400", [=](const Context& context) {
                      JointStep step(context, *images, 400);
                      for (int i = 0; i < 3; ++i) step.run();
                    }};
      },
      [] { return svm_case(2000, 1600); },
      [] { return svm_case(2000, 6400); },
      [] { return svm_case(20000, 1600); },
  };
}

double seconds_of(const Case& work, int threads) {
  const Context context({.threads = threads});
  const auto start = std::chrono::steady_clock::now();
  work.run(context);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Case& work, const Options& options, std::ostream& jsonl) {
  std::map<int, std::vector<double>> seconds;
  for (const int threads : options.threads) seconds_of(work, threads);  // warms up
  for (int round = 0; round < options.repeats; ++round) {
    for (const int threads : options.threads) seconds[threads].push_back(seconds_of(work, threads));
  }
  const int first = options.threads.front();
  for (const int threads : options.threads) {
    const double time = median(seconds[threads]);
    const double speedup = median(seconds[first]) / time;
    const double efficiency = speedup * first / threads;
    fmt::print("{:<44} {:>7} {:>9.4f} s {:>8.2f} {:>10.2f}\n", work.name, threads, time, speedup,
               efficiency);
    jsonl << fmt::format(
        R"({{"case": "{}", "threads": {}, "seconds": {:.6g}, "speedup": {:.4g}, "efficiency": {:.4g}, "runs": [{:.6g}]}})",
        work.name, threads, time, speedup, efficiency, fmt::join(seconds[threads], ", "));
    jsonl << '\n';
  }
  std::fflush(stdout);
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> found;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const int threads = std::atoi(part.c_str());
    if (threads < 1)
      throw InvalidArgument(fmt::format("--threads wants numbers > 0 with commas, got {}", text));
    found.push_back(threads);
  }
  return found;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (i + 1 == arguments.size()) throw InvalidArgument(name + " wants a value");
    const std::string& value = arguments[i + 1];
    if (name == "--threads")
      options.threads = numbers(value);
    else if (name == "--repeats")
      options.repeats = std::max(1, std::atoi(value.c_str()));
    else if (name == "--only")
      options.only = value;
    else if (name == "--jsonl")
      options.jsonl = value;
    else
      throw InvalidArgument(name + " is not one of --threads, --repeats, --only, --jsonl");
  }
  if (!options.threads.empty()) return options;
  const int all = Context().threads();
  for (int threads = 1; threads < all; threads *= 2) options.threads.push_back(threads);
  options.threads.push_back(all);
  return options;
}

void run(const Options& options) {
  std::ofstream jsonl(options.jsonl);
  fmt::print("{:<44} {:>7} {:>11} {:>8} {:>10}\n", "loop", "threads", "time", "speed-up",
             "efficiency");
  for (const auto& make : cases()) {
    const Case work = make();
    if (work.name.find(options.only) != std::string::npos) measure(work, options, jsonl);
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
