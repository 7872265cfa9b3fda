// SPDX-License-Identifier: BSD-3-Clause
#include "data/codec.hpp"
#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(image) {
  const bool turned = fuzz::take_choice(input) % 2 != 0;
  const EncodedImage encoded{input, static_cast<Index>(input.size()), "input", turned};
  const Image image = decode(encoded);
  if (shape_of(encoded) != image.shape) fuzz::fail("the header's shape is not the image's");
  if (std::ssize(image.pixels) != image.shape.values()) fuzz::fail("pixels are missing");
}
