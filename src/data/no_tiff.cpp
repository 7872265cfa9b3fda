// SPDX-License-Identifier: BSD-3-Clause
#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {

bool reads_tiff() { return false; }

ImageShape tiff_shape(const EncodedImage& image) {
  data_error("tiff", image.name, "TIFF cannot be read: krica was built without libtiff");
}

Image decode_tiff(const EncodedImage& image) { return {tiff_shape(image), {}}; }

}  // namespace krica
