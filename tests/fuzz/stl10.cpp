// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/support.hpp"

using namespace krica;

namespace {
constexpr std::size_t kImageBytes = std::size_t{96} * 96 * 3;
}

/// The images are blank; the input is the labels, or the folds' text.
KRICA_FUZZ_TARGET(stl10) {
  const std::uint8_t choice = fuzz::take_choice(input);
  const std::size_t images = 1 + choice / 2 % 4;
  const std::vector<std::uint8_t> blank(images * kImageBytes + (choice >= 250 ? 1 : 0));
  const std::vector<std::uint8_t> sound(images, 1);
  const bool labels = choice % 2 == 0;
  const auto path = fuzz::scratch_file("stl10/train_X.bin", blank);
  fuzz::scratch_file("stl10/train_y.bin", labels ? input : fuzz::Input(sound));
  fuzz::scratch_file("stl10/fold_indices.txt", labels ? fuzz::Input() : input);
  fuzz::scratch_file("stl10/class_names.txt", labels ? fuzz::Input() : input);
  if (labels) std::filesystem::remove(path.parent_path() / "class_names.txt");
  fuzz::read_dataset(path.parent_path(), {.format = DataFormat::kStl10, .one_class_allowed = true});
}
