// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "fuzz/support.hpp"

using namespace krica;

namespace {
constexpr auto kFiles = std::to_array<std::string_view>(
    {"x.npy", "train_x.npy", "data_batch_1.bin", "test_batch.bin", "train.bin", "train_X.bin",
     "x.bin", "x.gz", "x.csv", "train.csv", "x.txt", "x.tsv", "train-images-idx3-ubyte", "x.dat",
     "train_lables.json", "photo.jpg", "class/photo.png", "x"});
}

/// A file under a name that may mislead, or the directory that it lies in. Every name has a
/// directory of its own, which need not be emptied for the next input.
KRICA_FUZZ_TARGET(dataset) {
  const std::size_t choice = fuzz::take_choice(input);
  const std::size_t number = choice / 2 % kFiles.size();
  const std::filesystem::path directory = "data" + std::to_string(number);
  const auto file = fuzz::scratch_file((directory / kFiles[number]).string(), input);
  fuzz::read_dataset(choice % 2 == 0 ? file : fuzz::scratch_directory() / directory, {});
}
