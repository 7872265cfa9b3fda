// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "fuzz/support.hpp"

using namespace krica;

namespace {

constexpr std::size_t kImageBytes = std::size_t{96} * 96 * 3;
constexpr std::size_t kMostImages = 4;

/// A directory with blank images, and sound labels beside the folds. It is filled once: the images
/// are a thousand times as long as the input.
std::filesystem::path blank_images(std::size_t images, bool labels, bool odd) {
  static std::array<std::filesystem::path, kMostImages * 4> known;
  const std::size_t number =
      4 * (images - 1) + 2 * static_cast<std::size_t>(labels) + static_cast<std::size_t>(odd);
  std::filesystem::path& directory = known[number];
  if (directory.empty()) {
    const std::string name = "stl10-" + std::to_string(number);
    const std::vector<std::uint8_t> blank(images * kImageBytes + (odd ? 1 : 0));
    const std::vector<std::uint8_t> sound(images, 1);
    directory = fuzz::scratch_file(name + "/train_X.bin", blank).parent_path();
    fuzz::scratch_file(name + "/train_y.bin", sound);
    fuzz::scratch_file(name + "/fold_indices.txt", {});
  }
  return directory;
}

}  // namespace

/// The images are blank; the input is the labels, or the folds' text and the classes' names.
KRICA_FUZZ_TARGET(stl10) {
  const std::uint8_t choice = fuzz::take_choice(input);
  const bool labels = choice % 2 == 0;
  const auto directory = blank_images(1 + choice / 2 % kMostImages, labels, choice >= 250);
  const std::string name = directory.filename().string();
  if (labels) {
    fuzz::scratch_file(name + "/train_y.bin", input);
  } else {
    fuzz::scratch_file(name + "/fold_indices.txt", input);
    fuzz::scratch_file(name + "/class_names.txt", input);
  }
  fuzz::read_dataset(directory, {.format = DataFormat::kStl10, .one_class_allowed = true});
}
