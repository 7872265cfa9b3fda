// SPDX-License-Identifier: BSD-3-Clause
#include "data/readers.hpp"
#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(idx) {
  const std::uint8_t choice = fuzz::take_choice(input);
  const auto path = fuzz::scratch_file("x", input);
  if (choice % 2 != 0) {
    read_labels(fuzz::context(), path);
    return;
  }
  fuzz::read_dataset(path, {.format = DataFormat::kIdx});
}
