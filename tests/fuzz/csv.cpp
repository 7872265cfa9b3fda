// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "fuzz/support.hpp"

using namespace krica;

namespace {
constexpr auto kColumns = std::to_array<const char*>({"", "none", "1", "3", "label", "a"});
constexpr auto kTables = std::to_array<const char*>({"x.csv", "x.tsv", "x.txt"});
}  // namespace

KRICA_FUZZ_TARGET(csv) {
  const std::size_t choice = fuzz::take_choice(input);
  const auto path = fuzz::scratch_file(kTables[choice % kTables.size()], input);
  fuzz::read_dataset(path, {.format = DataFormat::kCsv,
                            .label_column = kColumns[choice / kTables.size() % kColumns.size()]});
}
