// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/context.hpp"

#include <charconv>
#include <utility>

#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"
#include "runtime/communicator.hpp"
#include "runtime/names.hpp"
#include "runtime/processors.hpp"

namespace krica {

namespace {

constexpr NameTable<Precision, 3> kPrecisions = {{
    {Precision::kFloat32, "float32"},
    {Precision::kTf32, "tf32"},
    {Precision::kBf16, "bf16"},
}};

/// The number of "cuda" or "cuda:1"; none for "cpu".
std::optional<int> device_number(std::string_view device) {
  if (device == "cpu") return std::nullopt;
  if (device == "cuda") return 0;
  int number = -1;
  if (device.starts_with("cuda:")) {
    const std::string_view digits = device.substr(5);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) number = -1;
  }
  require(number >= 0, "context", "device must be cpu, cuda or cuda:N, got '{}'", device);
  return number;
}

}  // namespace

std::string_view name_of(Precision precision) { return find_name(kPrecisions, precision); }

void ContextOptions::validate() const {
  require(threads >= 0 && threads <= 256, "context",
          "threads must be 0 (all processors) to 256, got {}", threads);
  require(memory_bytes > 0, "context", "memory_bytes must be > 0, got {}", memory_bytes);
  require(device_memory_bytes >= 0, "context", "device_memory_bytes must be >= 0, got {}",
          device_memory_bytes);
}

Context::Context(ContextOptions options)
    : options_(std::move(options)),
      threads_(1),
      stop_wanted_(std::make_shared<std::atomic<bool>>(false)),
      stop_agreed_(std::make_shared<std::atomic<bool>>(false)) {
  options_.validate();
  cuda_device_ = device_number(options_.device);
  if (options_.ranks && options_.ranks->size() == 1) options_.ranks = nullptr;
  threads_ = options_.threads > 0 ? options_.threads : available_processors();
}

Context Context::with_ranks(std::shared_ptr<Communicator> ranks) const {
  Context other = with_all_rows();
  other.options_.ranks = std::move(ranks);
  other.stop_agreed_ = std::make_shared<std::atomic<bool>>(false);
  return other;
}

void Context::agree_to_stop() const {
  if (ranks()->any_of(wants_to_stop() ? 1 : 0) != 0) stop_as_agreed();
}

void Context::check_cancelled() const {
  if (cancelled()) throw Cancelled();
}

}  // namespace krica
