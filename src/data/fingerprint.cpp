// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "data/digest.hpp"
#include "krica/data/image_set.hpp"
#include "krica/data/sample_set.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr Index kHashBytes = Index{1} << 22;
constexpr Index kHashRows = 4096;

template <class Pixel>
void hash_pixels(const Context& context, const ImageSet& set, Digest& digest) {
  const Index values = set.shape().values();
  const Index step = std::max<Index>(1, kHashBytes / (values * static_cast<Index>(sizeof(Pixel))));
  std::vector<Pixel> block(static_cast<std::size_t>(values * std::min(step, set.size())));
  for (Index first = 0; first < set.size(); first += step) {
    const Index count = std::min(step, set.size() - first);
    const Partition parts(count, 8);
    parallel_for(context, parts.count(), [&](Index p) {
      set.read(first + parts[p].begin, parts[p].size(), block.data() + parts[p].begin * values);
    });
    digest.add(block.data(), sizeof(Pixel) * static_cast<std::size_t>(count * values));
  }
}

/// The first 8 bytes of the SHA-256 of one image.
template <class Pixel>
std::uint64_t hash_image(const ImageSet& set, Index i, const std::string& head) {
  std::vector<Pixel> pixels(static_cast<std::size_t>(set.shape().values()));
  set.read(i, 1, pixels.data());
  Digest digest(Digest::Kind::kSha256);
  digest.add(head.data(), head.size());
  digest.add(pixels.data(), pixels.size() * sizeof(Pixel));
  return std::stoull(digest.finish().substr(0, 16), nullptr, 16);
}

/// "28 28 1 uint8": what the pixels alone do not say.
std::string layout_text(const ImageSet& set) {
  const ImageShape shape = set.shape();
  return fmt::format("{} {} {} {}", shape.height, shape.width, shape.channels,
                     set.pixel_type() == PixelType::kUint8 ? "uint8" : "float32");
}

template <class Scalar>
void hash_rows(const Context& context, const SampleSet& set, Digest& digest) {
  const Index step = std::min(kHashRows, std::max<Index>(1, set.rows()));
  std::vector<Scalar> block(static_cast<std::size_t>(step * set.cols()));
  for (Index first = 0; first < set.rows(); first += step) {
    context.check_cancelled();
    const Index count = std::min(step, set.rows() - first);
    set.read(first, count, block.data());
    digest.add(block.data(), sizeof(Scalar) * static_cast<std::size_t>(count * set.cols()));
  }
}

}  // namespace

std::string fingerprint(const Context& context, const ImageSet& set) {
  Digest digest(Digest::Kind::kSha256);
  const std::string head = fmt::format("krica images {} {}\n", set.size(), layout_text(set));
  digest.add(head.data(), head.size());
  if (set.pixel_type() == PixelType::kUint8) {
    hash_pixels<std::uint8_t>(context, set, digest);
  } else {
    hash_pixels<float>(context, set, digest);
  }
  digest.add(set.labels().data(), set.labels().size() * sizeof(int));
  return digest.finish();
}

std::vector<std::uint64_t> image_hashes(const Context& context, const ImageSet& set) {
  const std::string head = fmt::format("krica image {}\n", layout_text(set));
  const bool bytes = set.pixel_type() == PixelType::kUint8;
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(set.size()));
  parallel_for(context, set.size(), [&](Index i) {
    hashes[static_cast<std::size_t>(i)] =
        bytes ? hash_image<std::uint8_t>(set, i, head) : hash_image<float>(set, i, head);
  });
  return hashes;
}

std::string fingerprint(const Context& context, const SampleSet& set) {
  Digest digest(Digest::Kind::kSha256);
  const bool wide = set.type() == SampleType::kFloat64;
  const std::string head =
      fmt::format("krica samples {} {} {}\n", set.rows(), set.cols(), wide ? "float64" : "float32");
  digest.add(head.data(), head.size());
  if (wide) {
    hash_rows<double>(context, set, digest);
  } else {
    hash_rows<float>(context, set, digest);
  }
  digest.add(set.labels().data(), set.labels().size() * sizeof(int));
  return digest.finish();
}

}  // namespace krica
