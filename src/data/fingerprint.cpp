// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "krica/data/image_set.hpp"
#include "krica/data/sample_set.hpp"
#include "runtime/digest.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

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

/// Images of different sizes: each with its shape, without what fills its place up.
template <class Pixel>
void hash_varied(const Context& context, const ImageSet& set, Digest& digest) {
  constexpr Index kAtATime = 32;
  const Index values = set.shape().values();
  std::vector<Pixel> block(static_cast<std::size_t>(values * std::min(kAtATime, set.size())));
  for (Index first = 0; first < set.size(); first += kAtATime) {
    const Index count = std::min(kAtATime, set.size() - first);
    parallel_for(context, count,
                 [&](Index i) { set.read(first + i, 1, block.data() + i * values); });
    for (Index i = 0; i < count; ++i) {
      const ImageShape own = set.shape_of(first + i);
      const std::string head = fmt::format("{} {}\n", own.height, own.width);
      digest.add(head.data(), head.size());
      digest.add(block.data() + i * values, sizeof(Pixel) * static_cast<std::size_t>(own.values()));
    }
  }
}

/// "28 28 1 uint8": what the pixels alone do not determine.
std::string layout_text(const ImageShape& shape, bool bytes) {
  return fmt::format("{} {} {} {}", shape.height, shape.width, shape.channels,
                     bytes ? "uint8" : "float32");
}

/// The first 8 bytes of the SHA-256 of one image's pixels.
template <class Pixel>
std::uint64_t hash_image(const ImageShape& shape, const std::vector<Pixel>& pixels) {
  Digest digest(Digest::Kind::kSha256);
  const std::string head = fmt::format("krica image {}\n", layout_text(shape, sizeof(Pixel) == 1));
  digest.add(head.data(), head.size());
  digest.add(pixels.data(), pixels.size() * sizeof(Pixel));
  return std::stoull(digest.finish().substr(0, 16), nullptr, 16);
}

/// Floats that are byte values are hashed as bytes.
std::uint64_t hash_image(const ImageSet& set, Index i) {
  const auto room = static_cast<std::size_t>(set.shape().values());
  const ImageShape shape = set.shape_of(i);
  const auto values = static_cast<std::size_t>(shape.values());
  std::vector<std::uint8_t> bytes(room);
  if (set.pixel_type() == PixelType::kUint8) {
    set.read(i, 1, bytes.data());
    bytes.resize(values);
    return hash_image(shape, bytes);
  }
  std::vector<float> floats(room);
  set.read(i, 1, floats.data());
  floats.resize(values);
  bytes.resize(values);
  for (std::size_t j = 0; j < values; ++j) {
    if (!(floats[j] >= 0 && floats[j] <= 255)) return hash_image(shape, floats);
    bytes[j] = static_cast<std::uint8_t>(floats[j]);
    if (static_cast<float>(bytes[j]) != floats[j]) return hash_image(shape, floats);
  }
  return hash_image(shape, bytes);
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
  const bool bytes = set.pixel_type() == PixelType::kUint8;
  const ImageShape common{0, 0, set.shape().channels};  // of images that differ
  const std::string head = fmt::format("krica images {} {}\n", set.size(),
                                       layout_text(set.varied() ? common : set.shape(), bytes));
  digest.add(head.data(), head.size());
  if (set.varied()) {
    bytes ? hash_varied<std::uint8_t>(context, set, digest)
          : hash_varied<float>(context, set, digest);
  } else {
    bytes ? hash_pixels<std::uint8_t>(context, set, digest)
          : hash_pixels<float>(context, set, digest);
  }
  digest.add(set.labels().data(), set.labels().size() * sizeof(int));
  return digest.finish();
}

std::vector<std::uint64_t> image_hashes(const Context& context, const ImageSet& set) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(set.size()));
  const Range own = own_share(context, set.size());
  agree(context, [&] {
    parallel_for(context, own.size(), [&](Index place) {
      const Index i = own.begin + place;
      hashes[static_cast<std::size_t>(i)] = hash_image(set, i);
    });
  });
  gather_parts(context, hashes.data(), Partition(set.size(), 1));
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
