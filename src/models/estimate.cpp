// SPDX-License-Identifier: BSD-3-Clause
#include "models/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "models/method_costs.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"
#include "models/stage_costs.hpp"

namespace krica {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;

/// Scaled to the images read: they are decoded on all threads.
double reading_seconds(const MachineSpeed& speed, double seconds, double images) {
  const double threads = std::max(1.0, speed.products / speed.serial_products);
  return seconds * images / threads;
}

/// Rounds to the nearest multiple of `unit` seconds, in units of `per` seconds.
long rounded(double seconds, double unit, double per) {
  return std::lround(std::round(seconds / unit) * unit / per);
}

std::string counted(long count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string hours_text(double seconds) {
  const long minutes = rounded(seconds, 10 * kMinute, kMinute);
  const std::string hours = counted(minutes / 60, "hour");
  return minutes % 60 == 0 ? hours : fmt::format("{} {}", hours, counted(minutes % 60, "minute"));
}

/// Reads a few images spread over the set, once.
double read_some(const ImageSet& images, Index count, Index stop_after_milliseconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<float> pixels(static_cast<std::size_t>(images.shape().values()));
  const Clock::time_point start = Clock::now();
  Index done = 0;
  while (done < count &&
         Clock::now() - start < std::chrono::milliseconds(stop_after_milliseconds)) {
    images.read(done * (images.size() / count), 1, pixels.data());
    ++done;
  }
  return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(done);
}

}  // namespace

ReadingTime reading_time(const ImageSet& images) {
  constexpr Index kImages = 8;
  constexpr Index kMilliseconds = 30;
  const Index count = std::min(kImages, images.size());
  if (count == 0) return {};
  try {
    const double first = read_some(images, count, kMilliseconds);
    return {first, std::min(first, read_some(images, count, kMilliseconds))};
  } catch (const std::runtime_error&) {
    return {};  // reading the whole set will report the corrupt file
  }
}

double TrainingEstimate::seconds() const {
  double sum = 0;
  for (const StageEstimate& stage : stages) sum += stage.seconds;
  return sum;
}

TrainingEstimate estimate_training(const MachineSpeed& speed, const DataFacts& facts,
                                   const PipelineOptions& settled, const ReadingTime& reading) {
  constexpr double kFirstPasses = 3;  // fingerprint, image hashes, range of values
  const TrainingSizes sizes(facts, settled);
  const auto again = [&](double images) { return reading_seconds(speed, reading.again, images); };
  TrainingEstimate estimate;
  const auto add = [&](const char* stage, const Cost& cost, double images_read = 0) {
    const double seconds = cost.seconds(speed) + again(images_read);
    if (seconds > 0) estimate.stages.push_back({stage, seconds});
  };
  add("read", fingerprint_cost(sizes), (kFirstPasses - 1) * sizes.images);
  estimate.stages.back().seconds += reading_seconds(speed, reading.first, sizes.images);
  if (sizes.method.learn != nullptr) {
    add("patches", sampling_cost(sizes), std::min(sizes.images, sizes.patches));
    add("whitening", whitening_cost(sizes));
    add("basis", basis_cost(sizes));
  }
  if (sizes.method.network) add("basis", network_cost(sizes), sizes.images);
  if (sizes.method.joint) {
    const auto epochs = static_cast<double>(settled.basis.epochs.value_or(kEpochs));
    add("max-margin", joint_cost(sizes), epochs * sizes.images);
  }
  const bool keeps_joint_classifier =
      sizes.method.joint && !settled.max_margin.refit.value_or(true);
  if (sizes.classes == 0 || keeps_joint_classifier) return estimate;
  add("features", encoding_cost(sizes) * sizes.classified, sizes.classified);
  if (sizes.dictionary_atoms > 0) {
    add("dictionary", dictionary_cost(sizes));
  } else if (!sizes.method.classifies) {
    add("svm", svm_cost(sizes));
  }
  return estimate;
}

double estimate_encoding(const MachineSpeed& speed, const DataFacts& facts,
                         const PipelineOptions& settled, const ReadingTime& reading) {
  const TrainingSizes sizes(facts, settled);
  const double views = settled.classifier.test_flips && sizes.classes > 0 ? 2 : 1;
  return (encoding_cost(sizes) * (views * sizes.images)).seconds(speed) +
         reading_seconds(speed, reading.first, sizes.images);
}

std::string learning_text(const DataFacts& facts, const PipelineOptions& settled) {
  const char* noun = facts.shape.is_sample() ? "samples" : "images";
  const BasisMethod& method = basis_method(settled.method);
  std::string what = "a classifier";
  if (method.learn != nullptr)
    what = fmt::format("{} atoms", with_commas(settled.basis.components.value_or(0)));
  if (method.network)
    what = fmt::format("a network of {} layers", conv_layers_of(settled, facts.shape).size());
  return fmt::format("learning {} from {} {}", what, with_commas(facts.size), noun);
}

std::string with_commas(Index number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string rough_duration(double seconds) {
  const auto about = [](const std::string& text) { return "about " + text; };
  if (seconds < 9.5) return about(counted(std::max(1L, rounded(seconds, 1, 1)), "second"));
  if (const long whole = rounded(seconds, 5, 1); whole < 60) return about(counted(whole, "second"));
  if (const long whole = rounded(seconds, kMinute, kMinute); whole < 10)
    return about(counted(std::max(1L, whole), "minute"));
  if (const long whole = rounded(seconds, 5 * kMinute, kMinute); whole < 60)
    return about(counted(whole, "minute"));
  if (rounded(seconds, 10 * kMinute, kMinute) < 600) return about(hours_text(seconds));
  if (seconds < 2 * kDay) return about(counted(rounded(seconds, kHour, kHour), "hour"));
  return about(counted(rounded(seconds, kDay, kDay), "day"));
}

std::string waiting_text(std::string_view work, double seconds, double shortest) {
  if (!(seconds >= shortest)) return {};
  return fmt::format("{}: {}", work, rough_duration(seconds));
}

}  // namespace krica
