// SPDX-License-Identifier: BSD-3-Clause
//
// Views of image sets with mirror images. They refer to the set, which must outlive them.
#pragma once

#include <string>

#include "krica/data/image_set.hpp"

namespace krica {

/// Every image mirrored left to right.
class Mirrored final : public ImageSet {
 public:
  explicit Mirrored(const ImageSet& whole) : ImageSet(whole.info()), whole_(whole) {}

  [[nodiscard]] std::string item_name(Index i) const override { return whole_.item_name(i); }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override;
  void load_floats(Index first, Index count, float* out) const override;

  const ImageSet& whole_;
};

/// All images, then all of them mirrored: images i and i + whole.size() are the same one, with the
/// same label.
class WithMirrors final : public ImageSet {
 public:
  explicit WithMirrors(const ImageSet& whole);

  [[nodiscard]] std::string item_name(Index i) const override {
    return whole_.item_name(i % whole_.size());
  }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override;
  void load_floats(Index first, Index count, float* out) const override;

  const ImageSet& whole_;
};

}  // namespace krica
