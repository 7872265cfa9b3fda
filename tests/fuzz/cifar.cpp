// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(cifar) {
  const std::uint8_t choice = fuzz::take_choice(input);
  fuzz::read_dataset(fuzz::scratch_file("data_batch_1.bin", input),
                     {.format = choice % 2 == 0 ? DataFormat::kCifar10 : DataFormat::kCifar100,
                      .coarse_labels = choice % 4 == 3});
}
