// SPDX-License-Identifier: BSD-3-Clause
//
// All fuzz targets as one libFuzzer program, which is compiled and linked once. The environment
// variable FUZZ_TARGET names the target: libFuzzer starts further processes of its own, which
// inherit it.
#include <cstdio>
#include <cstdlib>

#include "fuzz/archive_mutator.hpp"
#include "fuzz/targets.hpp"

namespace {

using namespace krica::fuzz;

struct Choice {
  Target target = nullptr;
  bool archive = false;  // whether its inputs are archives
};

Choice chosen;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const variable = std::getenv("FUZZ_TARGET");
  const std::string name = variable != nullptr ? variable : "";
  const auto found = targets().find(name);
  if (found == targets().end()) {
    std::fprintf(stderr, "FUZZ_TARGET='%s' must be one of:", name.c_str());
    for (const auto& [known, target] : targets()) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::_Exit(2);
  }
  chosen = {found->second, name == "archive" || name == "checkpoint" || name == "model"};
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return examine(chosen.target, Input(data, size));
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return chosen.archive ? mutate_archive(data, size, max_size, seed)
                        : LLVMFuzzerMutate(data, size, max_size);
}
