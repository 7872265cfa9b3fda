// SPDX-License-Identifier: BSD-3-Clause
#include "models/seen_images.hpp"

#include <algorithm>

#include "krica/runtime/error.hpp"

namespace krica {
namespace {

constexpr std::size_t kMost = 4096;
constexpr const char* kTensor = "training_images";

}  // namespace

SeenImages SeenImages::of(const Context& context, const ImageSet& images) {
  SeenImages seen;
  seen.hashes_ = image_hashes(context, images);
  std::sort(seen.hashes_.begin(), seen.hashes_.end());
  seen.hashes_.erase(std::unique(seen.hashes_.begin(), seen.hashes_.end()), seen.hashes_.end());
  seen.complete_ = seen.hashes_.size() < kMost;  // a full list may be a sample: load() cannot tell
  if (seen.hashes_.size() > kMost) seen.hashes_.resize(kMost);
  return seen;
}

bool SeenImages::has(std::uint64_t hash) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), hash);
}

Index SeenImages::count_in(const Context& context, const ImageSet& images) const {
  if (!known()) return 0;
  const std::vector<std::uint64_t> hashes = image_hashes(context, images);
  Index seen = 0;
  Index told = 0;
  for (const std::uint64_t hash : hashes) {
    told += complete_ || hash <= hashes_.back() ? 1 : 0;
    seen += has(hash) ? 1 : 0;
  }
  if (complete_ || seen == 0) return seen;
  return std::max<Index>(1, seen * images.size() / told);
}

std::vector<Index> SeenImages::unseen_in(const Context& context, const ImageSet& images) const {
  const std::vector<std::uint64_t> hashes = image_hashes(context, images);
  std::vector<Index> unseen;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!has(hashes[i])) unseen.push_back(static_cast<Index>(i));
  }
  return unseen;
}

void SeenImages::save(Archive& archive) const {
  if (!known()) return;
  // Archives have no unsigned 64-bit integers; the bits are kept.
  const std::vector<std::int64_t> bits(hashes_.begin(), hashes_.end());
  archive.put_vector<std::int64_t>(kTensor, bits);
}

SeenImages SeenImages::load(const Archive& archive) {
  SeenImages seen;
  if (!archive.has(kTensor)) return seen;
  const auto bits = archive.vector<std::int64_t>(kTensor);
  seen.hashes_.assign(bits.begin(), bits.end());
  if (!std::is_sorted(seen.hashes_.begin(), seen.hashes_.end()))
    throw DataError("[model] the hashes of the training images are not in order");
  seen.complete_ = seen.hashes_.size() < kMost;
  return seen;
}

}  // namespace krica
