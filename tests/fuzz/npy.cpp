// SPDX-License-Identifier: BSD-3-Clause
#include "data/readers.hpp"
#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(npy) {
  const std::uint8_t choice = fuzz::take_choice(input);
  const auto path = fuzz::scratch_file("x.npy", input);
  if (choice % 3 == 2) {
    read_labels(fuzz::context(), path);
    return;
  }
  fuzz::read_dataset(path, {.format = choice % 3 == 0 ? DataFormat::kNpy : DataFormat::kSignals});
}
