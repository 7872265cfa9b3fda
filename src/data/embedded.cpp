// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in set: assets/fashion_mnist_subset.gz, four concatenated IDX files (training images
// and labels, test images and labels) in one gzip stream.
#include <cstddef>

#include "data/idx.hpp"
#include "krica/data/dataset.hpp"

extern "C" {
[[gnu::visibility("hidden")]] extern const unsigned char
    krica_embedded_begin[];  // NOLINT(readability-identifier-naming)
[[gnu::visibility("hidden")]] extern const unsigned char
    krica_embedded_end[];  // NOLINT(readability-identifier-naming)
}

asm(R"(
.pushsection .rodata
.global krica_embedded_begin
.hidden krica_embedded_begin
krica_embedded_begin:
.incbin ")" KRICA_EMBEDDED_FILE R"("
.global krica_embedded_end
.hidden krica_embedded_end
krica_embedded_end:
.byte 0
.popsection
)");

namespace krica {
namespace {

std::vector<std::string> class_names() {
  return {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
          "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
}

/// The pair of images and labels at `offset`, which is advanced past it.
ImageSetPtr read_pair(const ByteSourcePtr& source, const std::string& part, Index& offset) {
  const IdxHeader images = read_idx_header(*source, offset, 3);
  const IdxHeader labels = read_idx_header(*source, images.end(), 1);
  offset = labels.end();
  ImageSetInfo info;
  info.labels = read_idx_labels(*source, labels);
  info.class_names = class_names();
  info.description = "Fashion-MNIST subset " + part;
  return idx_images(source, images, std::move(info));
}

}  // namespace

DataSet embedded_dataset() {
  const auto size = static_cast<std::size_t>(krica_embedded_end - krica_embedded_begin);
  const ByteSourcePtr packed =
      static_source("embedded", "fashion_mnist_subset", {krica_embedded_begin, size});
  const ByteSourcePtr source = gunzip(Context(), *packed, kIdxStart);
  DataSet data;
  Index offset = 0;
  data.train = read_pair(source, "train", offset);
  data.test = read_pair(source, "test", offset);
  data.format = DataFormat::kEmbedded;
  return data;
}

}  // namespace krica
