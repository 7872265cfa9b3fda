// SPDX-License-Identifier: BSD-3-Clause
#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {

bool reads_webp() { return false; }

ImageShape webp_shape(const EncodedImage& image) {
  data_error("webp", image.name, "WebP cannot be read: krica was built without libwebp");
}

Image decode_webp(const EncodedImage& image) { return {webp_shape(image), {}}; }

}  // namespace krica
