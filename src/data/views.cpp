// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "data/resize.hpp"
#include "krica/data/image_set.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<ImageSizeRule, 4> kRuleNames = {{
    {ImageSizeRule::kSquare, "square"},
    {ImageSizeRule::kShorter, "shorter"},
    {ImageSizeRule::kLonger, "longer"},
    {ImageSizeRule::kWithin, "within"},
}};

class SubsetView : public ImageSet {
 public:
  SubsetView(ImageSetInfo info, ImageSetPtr set, std::vector<Index> indices)
      : ImageSet(std::move(info)), set_(std::move(set)), indices_(std::move(indices)) {}

  [[nodiscard]] std::string item_name(Index i) const override {
    return set_->item_name(indices_[static_cast<std::size_t>(i)]);
  }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    copy(first, count, out);
  }
  void load_floats(Index first, Index count, float* out) const override { copy(first, count, out); }
  void load_doubles(Index first, Index count, double* out) const override {
    copy(first, count, out);
  }

  template <class Pixel>
  void copy(Index first, Index count, Pixel* out) const {
    const Index* index = indices_.data() + first;
    for (Index i = 0; i < count;) {  // read runs of consecutive images at once
      Index run = 1;
      while (i + run < count && index[i + run] == index[i] + run) ++run;
      set_->read(index[i], run, out + i * shape().values());
      i += run;
    }
  }

  ImageSetPtr set_;
  std::vector<Index> indices_;
};

/// A view that transforms each image independently.
class MappedView : public ImageSet {
 public:
  MappedView(ImageSetInfo info, ImageSetPtr set)
      : ImageSet(std::move(info)), set_(std::move(set)) {}

  [[nodiscard]] std::string item_name(Index i) const override { return set_->item_name(i); }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    map(first, count, out);
  }
  void load_floats(Index first, Index count, float* out) const override { map(first, count, out); }

  virtual void convert(const std::uint8_t* in, ImageShape from, ImageShape to,
                       std::uint8_t* out) const = 0;
  virtual void convert(const float* in, ImageShape from, ImageShape to, float* out) const = 0;

  template <class Pixel>
  void map(Index first, Index count, Pixel* out) const {
    std::vector<Pixel> image(static_cast<std::size_t>(set_->shape().values()));
    for (Index i = 0; i < count; ++i, out += shape().values()) {
      set_->read(first + i, 1, image.data());
      const ImageShape to = shape_of(first + i);
      convert(image.data(), set_->shape_of(first + i), to, out);
      std::fill(out + to.values(), out + shape().values(), Pixel(0));
    }
  }

  ImageSetPtr set_;
};

class ResizedView : public MappedView {
 public:
  ResizedView(ImageSetInfo info, ImageSetPtr set, ImageSizeRule rule)
      : MappedView(std::move(info), std::move(set)), rule_(rule) {}

 private:
  void convert(const std::uint8_t* in, ImageShape from, ImageShape to,
               std::uint8_t* out) const override {
    fit(in, from, to, out);
  }
  void convert(const float* in, ImageShape from, ImageShape to, float* out) const override {
    fit(in, from, to, out);
  }

  template <class Pixel>
  void fit(const Pixel* in, ImageShape from, ImageShape to, Pixel* out) const {
    if (from == to) {
      std::copy_n(in, from.values(), out);
    } else {
      resize_image(in, from, to, rule_, out);
    }
  }

  ImageSizeRule rule_;
};

class ChannelView : public MappedView {
 public:
  using MappedView::MappedView;

 private:
  void convert(const std::uint8_t* in, ImageShape from, ImageShape to,
               std::uint8_t* out) const override {
    change_channels(in, from, to.channels, out);
  }
  void convert(const float* in, ImageShape from, ImageShape to, float* out) const override {
    change_channels(in, from, to.channels, out);
  }
};

/// The images of each class, ascending.
std::vector<std::vector<Index>> members_by_class(const std::vector<int>& labels) {
  std::vector<std::vector<Index>> members;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    if (label >= members.size()) members.resize(label + 1);
    members[label].push_back(static_cast<Index>(i));
  }
  return members;
}

/// Adds `chosen` random elements of `members` to `to`, the others to `rest`.
void deal(const std::vector<Index>& members, Index chosen, Random random, std::vector<Index>& to,
          std::vector<Index>& rest) {
  const auto picked = random_subset(random, static_cast<Index>(members.size()), chosen);
  auto next = picked.begin();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool hit = next != picked.end() && *next == static_cast<Index>(i);
    if (hit) ++next;
    (hit ? to : rest).push_back(members[i]);
  }
}

Index test_count(Index size, double test_fraction) {
  const auto wanted = static_cast<Index>(std::llround(test_fraction * static_cast<double>(size)));
  return size < 2 ? 0 : std::clamp<Index>(wanted, 1, size - 1);
}

void require_fraction(double test_fraction, std::string_view operation) {
  require(test_fraction > 0 && test_fraction < 1, operation,
          "test_fraction must lie between 0 and 1, got {}", test_fraction);
}

void sort_split(Split& split) {
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
}

}  // namespace

std::string_view name_of(ImageSizeRule rule) { return find_name(kRuleNames, rule); }
ImageSizeRule image_size_rule(std::string_view name) {
  return find_value(kRuleNames, name, "image_size_rule");
}

ImageSetPtr subset(ImageSetPtr set, std::vector<Index> indices) {
  ImageSetInfo info = set->info();
  info.size = static_cast<Index>(indices.size());
  info.labels.clear();
  info.shapes.clear();
  for (const Index i : indices) {
    require(i >= 0 && i < set->size(), "subset", "index {} is not in a set of {}", i, set->size());
    if (set->varied()) info.shapes.push_back(set->shape_of(i));
    if (!set->labels().empty()) info.labels.push_back(set->labels()[static_cast<std::size_t>(i)]);
  }
  return std::make_shared<SubsetView>(std::move(info), std::move(set), std::move(indices));
}

ImageSetPtr first_images(ImageSetPtr set, Index count) {
  require(count > 0, "first_images", "the number of images must be positive, got {}", count);
  if (count >= set->size()) return set;
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), Index{0});
  return subset(std::move(set), std::move(indices));
}

ImageShape resized_shape(ImageShape shape, Index image_size, ImageSizeRule rule) {
  if (rule != ImageSizeRule::kWithin) return {image_size, image_size, shape.channels};
  const Index longer = std::max(shape.height, shape.width);
  if (longer <= image_size) return shape;
  const auto side = [&](Index length) {
    return std::max<Index>(1, (2 * length * image_size + longer) / (2 * longer));
  };
  return {side(shape.height), side(shape.width), shape.channels};
}

ImageShape take_common_shape(std::vector<ImageShape>& shapes) {
  ImageShape box;
  for (const ImageShape& shape : shapes) {
    box.height = std::max(box.height, shape.height);
    box.width = std::max(box.width, shape.width);
    box.channels = std::max(box.channels, shape.channels);
  }
  const bool alike = std::all_of(shapes.begin(), shapes.end(),
                                 [&](const ImageShape& shape) { return shape == box; });
  if (alike) shapes.clear();
  return box;
}

ImageSetPtr resized(ImageSetPtr set, Index image_size, ImageSizeRule rule) {
  require(image_size > 0 && image_size <= 16384, "resized", "image_size must be 1 to 16384, got {}",
          image_size);
  ImageSetInfo info = set->info();
  info.preparation.size_rule = rule;
  info.preparation.longest_side = rule == ImageSizeRule::kWithin ? image_size : 0;
  info.shape = resized_shape(set->shape(), image_size, rule);
  info.shapes.clear();
  if (set->varied() && rule == ImageSizeRule::kWithin) {
    for (const ImageShape& shape : set->info().shapes)
      info.shapes.push_back(resized_shape(shape, image_size, rule));
    info.shape = take_common_shape(info.shapes);
  }
  if (info.shape == set->shape() && info.shapes == set->info().shapes &&
      info.preparation.longest_side == set->info().preparation.longest_side)
    return set;
  return std::make_shared<ResizedView>(std::move(info), std::move(set), rule);
}

ImageSetPtr with_channels(ImageSetPtr set, Index channels) {
  require(channels == 1 || channels == 3, "with_channels", "channels must be 1 or 3, got {}",
          channels);
  if (set->shape().channels == channels) return set;
  ImageSetInfo info = set->info();
  info.shape.channels = channels;
  for (ImageShape& own : info.shapes) own.channels = channels;
  return std::make_shared<ChannelView>(std::move(info), std::move(set));
}

Split stratified_split(const std::vector<int>& labels, double test_fraction, std::uint64_t seed) {
  require_fraction(test_fraction, "stratified_split");
  Split split;
  const auto members = members_by_class(labels);
  for (std::size_t c = 0; c < members.size(); ++c) {
    const Index chosen = test_count(static_cast<Index>(members[c].size()), test_fraction);
    deal(members[c], chosen, Random(seed, "data.split", c), split.test, split.train);
  }
  sort_split(split);
  return split;
}

Split random_split(Index size, double test_fraction, std::uint64_t seed) {
  require_fraction(test_fraction, "random_split");
  std::vector<Index> members(static_cast<std::size_t>(size));
  std::iota(members.begin(), members.end(), Index{0});
  Split split;
  deal(members, test_count(size, test_fraction), Random(seed, "data.random_split"), split.test,
       split.train);
  return split;
}

Split stratified_draw(const std::vector<int>& labels, Index per_class, std::uint64_t seed,
                      std::uint64_t repeat) {
  require(per_class > 0, "stratified_draw", "per_class must be positive, got {}", per_class);
  require(!labels.empty(), "stratified_draw", "the set has no labels");
  Split split;
  const auto members = members_by_class(labels);
  for (std::size_t c = 0; c < members.size(); ++c) {
    const auto size = static_cast<Index>(members[c].size());
    require(size == 0 || size >= per_class, "stratified_draw",
            "class {} has {} images, but {} are to be drawn", c, size, per_class);
    if (size == 0) continue;
    const std::uint64_t stream = repeat * members.size() + c;
    deal(members[c], per_class, Random(seed, "data.draw", stream), split.train, split.test);
  }
  sort_split(split);
  return split;
}

}  // namespace krica
