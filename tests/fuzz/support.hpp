// SPDX-License-Identifier: BSD-3-Clause
//
// What the fuzz targets share. A target is one function in a file of its own:
//
//   KRICA_FUZZ_TARGET(csv) { open_dataset(context(), scratch_file("table.csv", input), ...); }
//
// It may throw the errors that krica documents; anything else that leaves it is a finding. It
// enters the list of targets(), from which fuzzer.cpp (with libFuzzer) and replay.cpp (over the
// corpora) choose by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "krica/data/dataset.hpp"
#include "krica/runtime/context.hpp"

namespace krica::fuzz {

using Input = std::span<const std::uint8_t>;
using Target = void (*)(Input);

/// Runs the target; errors that krica documents are fine.
int examine(Target target, Input input);

/// Puts the target in the list of targets().
bool add_target(std::string_view name, Target target);

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// The first byte as a choice, which is then taken off; 0 where there is none.
std::uint8_t take_choice(Input& input);

/// One thread and a small memory budget.
const Context& context();

/// A directory of this process, removed with it.
const std::filesystem::path& scratch_directory();
/// A file there with this content.
std::filesystem::path scratch_file(std::string_view name, Input content);

/// Opens the data and reads all of it.
void read_dataset(const std::filesystem::path& path, const OpenOptions& options);

/// Ends the process as a crash does: what the target found must not be.
[[noreturn]] void fail(std::string_view what);

}  // namespace krica::fuzz

#define KRICA_FUZZ_TARGET(name)                        \
  static void name##_target(krica::fuzz::Input input); \
  [[maybe_unused]] static const bool name##_listed =   \
      krica::fuzz::add_target(#name, name##_target);   \
  static void name##_target(krica::fuzz::Input input)
