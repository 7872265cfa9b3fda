// SPDX-License-Identifier: BSD-3-Clause
#include "patches/dense_sift.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "patches/dense_sift.cpp"  // NOLINT
#include <hwy/foreach_target.h>                      // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#ifndef KRICA_PATCHES_DENSE_SIFT_ONCE
#define KRICA_PATCHES_DENSE_SIFT_ONCE
namespace krica {

constexpr float kClip = 0.2F;

/// Where a row of windows lies in the planes, and how it is summed.
struct SiftRun {
  const float* planes;  // at the first window's corner, `margin` pixels above and to the left
  Index row_floats;     // from one row of the planes to the next
  Index count;          // windows
  Index stride;
  Index cell;
  const std::vector<float>* weights;
  float threshold;
};

}  // namespace krica
#endif

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One pixel's orientations, in one or more vectors.
constexpr Index kOrientations = DenseSift::kOrientations;
using Tag = hn::CappedTag<float, static_cast<std::size_t>(kOrientations)>;
using Vector = hn::Vec<Tag>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));

/// atan(a) · 4/π for a in [0, 1], to 2e-6: a minimax polynomial.
HWY_INLINE Vector octant_angle(Vector a) {
  const Tag d;
  const Vector s = hn::Mul(a, a);
  Vector p = hn::Set(d, -0.01172120F);
  p = hn::MulAdd(p, s, hn::Set(d, 0.05265332F));
  p = hn::MulAdd(p, s, hn::Set(d, -0.11643287F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.19354346F));
  p = hn::MulAdd(p, s, hn::Set(d, -0.33262347F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.99997726F));
  return hn::Mul(hn::Mul(p, a), hn::Set(d, 1.2732395447F));
}

/// The direction of (x, y) in eighths of a turn, 0 to 8.
HWY_INLINE Vector eighths(Vector x, Vector y) {
  const Tag d;
  const Vector ax = hn::Abs(x);
  const Vector ay = hn::Abs(y);
  const Vector longer = hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30F));
  Vector r = octant_angle(hn::Div(hn::Min(ax, ay), longer));
  r = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, 2.0F), r), r);
  r = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 4.0F), r), r);
  return hn::IfThenElse(hn::Lt(y, hn::Zero(d)), hn::Sub(hn::Set(d, 8.0F), r), r);
}

/// Directions and lengths of the gradients of one row; `above`, `row` and `below` have a pixel on
/// either side of it. Writes up to a vector more than `width`.
void gradients(const float* above, const float* row, const float* below, Index width, float* r,
               float* m) {
  const Tag d;
  const Vector half = hn::Set(d, 0.5F);
  for (Index x = 0; x < width; x += kLanes) {
    const Vector gx = hn::Mul(half, hn::Sub(hn::LoadU(d, row + x + 1), hn::LoadU(d, row + x - 1)));
    const Vector gy = hn::Mul(half, hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)));
    hn::StoreU(eighths(gx, gy), d, r + x);
    hn::StoreU(hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy))), d, m + x);
  }
}

/// Shares each pixel's length among the two orientations next to its direction.
void orientation_planes(const float* r, const float* m, Index width, float* planes) {
  const Tag d;
  const Vector turn = hn::Set(d, static_cast<float>(kOrientations));
  for (Index x = 0; x < width; ++x, planes += kOrientations) {
    const Vector angle = hn::Set(d, r[x]);
    const Vector length = hn::Set(d, m[x]);
    for (Index o = 0; o < kOrientations; o += kLanes) {
      const Vector apart = hn::AbsDiff(angle, hn::Iota(d, static_cast<float>(o)));
      const Vector distance = hn::Min(apart, hn::Sub(turn, apart));
      const Vector share = hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0F), distance));
      hn::StoreU(hn::Mul(length, share), d, planes + o);
    }
  }
}

/// out = Σ_t weights[t] · in[t · step ...], `floats` numbers.
HWY_INLINE void weighted_sum(const float* in, Index step, const std::vector<float>& weights,
                             Index floats, float* out) {
  const Tag d;
  for (Index i = 0; i < floats; i += kLanes) {
    Vector sum = hn::Zero(d);
    for (std::size_t t = 0; t < weights.size(); ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, in + static_cast<Index>(t) * step + i),
                       sum);
    }
    hn::StoreU(sum, d, out + i);
  }
}

HWY_INLINE float length_of(const float* values) {
  const Tag d;
  Vector sum = hn::Zero(d);
  for (Index i = 0; i < DenseSift::kValues; i += kLanes) {
    const Vector v = hn::LoadU(d, values + i);
    sum = hn::MulAdd(v, v, sum);
  }
  return std::sqrt(hn::GetLane(hn::SumOfLanes(d, sum)));
}

HWY_INLINE void scale(float* values, float factor) {
  const Tag d;
  for (Index i = 0; i < DenseSift::kValues; i += kLanes)
    hn::StoreU(hn::Mul(hn::Set(d, factor), hn::LoadU(d, values + i)), d, values + i);
}

void normalise(float* values, float threshold) {
  const Tag d;
  const float length = length_of(values);
  if (!(length > 0)) return;
  scale(values, 1 / std::max(length, threshold));
  for (Index i = 0; i < DenseSift::kValues; i += kLanes)
    hn::StoreU(hn::Min(hn::Set(d, kClip), hn::LoadU(d, values + i)), d, values + i);
  if (length >= threshold) scale(values, 1 / length_of(values));
}

void read_run(const SiftRun& run, float* down, float* descriptor, Index descriptor_floats) {
  const std::vector<float>& weights = *run.weights;
  const auto taps = static_cast<Index>(weights.size());
  const Index columns = (run.count - 1) * run.stride + (DenseSift::kCells - 1) * run.cell + taps;
  const Index floats = columns * kOrientations;
  for (Index j = 0; j < DenseSift::kCells; ++j) {
    weighted_sum(run.planes + j * run.cell * run.row_floats, run.row_floats, weights, floats,
                 down + j * floats);
  }
  for (Index i = 0; i < run.count; ++i, descriptor += descriptor_floats) {
    float* values = descriptor;
    for (Index j = 0; j < DenseSift::kCells; ++j) {
      for (Index k = 0; k < DenseSift::kCells; ++k, values += kOrientations) {
        weighted_sum(down + j * floats + (i * run.stride + k * run.cell) * kOrientations,
                     kOrientations, weights, kOrientations, values);
      }
    }
    normalise(descriptor, run.threshold);
  }
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {
namespace {

HWY_EXPORT(gradients);
HWY_EXPORT(orientation_planes);
HWY_EXPORT(read_run);

constexpr std::string_view kName = "sift";
constexpr Index kLargestField = 16384;
constexpr float kContrast = 1.0F / 32;  // of the largest grey value
constexpr Index kSpare = 16;            // floats that a vector may read or write too many

/// What prepared() keeps of an image: the threshold, the planes with a margin of zeros, and room
/// for the grey image with a border of one pixel.
struct Layout {
  Layout(const ImageShape& shape, Index cell)
      : margin(cell / 2),
        height(shape.height),
        width(shape.width),
        row_floats((width + 2 * margin) * DenseSift::kOrientations),
        planes(kSpare),
        grey(planes + (height + 2 * margin) * row_floats),
        floats(grey + (height + 2) * (width + 2) + kSpare) {}

  Index margin;
  Index height;
  Index width;
  Index row_floats;
  Index planes;
  Index grey;
  Index floats;
};

/// The grey image with a border that continues it linearly: central differences there are one-sided
/// ones. Returns its largest value.
float copy_grey(const float* image, const ImageShape& shape, float* grey) {
  const Index step = shape.width + 2;
  const Index pixels = shape.pixels();
  float largest = 0;
  for (Index y = 0; y < shape.height; ++y) {
    float* row = grey + (y + 1) * step + 1;
    const float* red = image + y * shape.width;
    for (Index x = 0; x < shape.width; ++x) {
      row[x] = shape.channels == 1
                   ? red[x]
                   : 0.299F * red[x] + 0.587F * red[pixels + x] + 0.114F * red[2 * pixels + x];
      largest = std::max(largest, std::abs(row[x]));
    }
    row[-1] = 2 * row[0] - row[1];
    row[shape.width] = 2 * row[shape.width - 1] - row[shape.width - 2];
  }
  const auto extend = [&](Index to, Index next, Index after) {
    for (Index x = 0; x < step; ++x)
      grey[to * step + x] = 2 * grey[next * step + x] - grey[after * step + x];
  };
  extend(0, 1, 2);
  extend(shape.height + 1, shape.height, shape.height - 1);
  return largest;
}

/// Where the first of `positions` windows starts, so that as much is left over at both ends.
Index offset_of(Index length, Index field, Index stride) { return (length - field) % stride / 2; }

}  // namespace

DenseSift::DenseSift(const LocalDescriptorOptions& options)
    : field_(options.receptive_field), stride_(options.stride), cell_(field_ / kCells) {
  require(field_ >= kCells && field_ % kCells == 0, kName,
          "the receptive field of SIFT is divided into 4 x 4 cells and must be a multiple of 4, "
          "got {}; 16 is usual",
          field_);
  require(field_ <= kLargestField, kName, "the receptive field of SIFT must be at most {}, got {}",
          kLargestField, field_);
  const Index margin = cell_ / 2;
  const auto width = static_cast<double>(cell_);
  for (Index t = -margin; t < cell_ + margin; ++t) {
    const double distance = std::abs(static_cast<double>(t) - (width - 1) / 2);
    weights_.push_back(static_cast<float>((1 - distance / width) / width));
  }
}

Positions DenseSift::positions(const ImageShape& shape) const {
  require(field_ <= shape.height && field_ <= shape.width, kName,
          "{} x {} pixels are smaller than the window of {} x {}; leave the image out, enlarge "
          "it, or choose a smaller --receptive-field (receptive_field)",
          shape.width, shape.height, field_, field_);
  return {(shape.height - field_) / stride_ + 1, (shape.width - field_) / stride_ + 1};
}

PixelPlace DenseSift::first_pixel(const ImageShape& shape) const {
  return {offset_of(shape.height, field_, stride_), offset_of(shape.width, field_, stride_)};
}

const float* DenseSift::prepared(const float* image, const ImageShape& shape,
                                 std::vector<float>& memory) const {
  require(shape.channels == 1 || shape.channels == 3, kName,
          "SIFT needs grey or colour images, not {}", to_text(shape));
  const Layout at(shape, cell_);
  memory.assign(static_cast<std::size_t>(at.floats), 0.0F);
  float* grey = memory.data() + at.grey;
  memory[0] = kContrast * copy_grey(image, shape, grey);
  std::vector<float> directions(static_cast<std::size_t>(at.width + kSpare));
  std::vector<float> lengths(static_cast<std::size_t>(at.width + kSpare));
  for (Index y = 0; y < at.height; ++y) {
    const Index step = at.width + 2;
    const float* row = grey + (y + 1) * step + 1;
    HWY_DYNAMIC_DISPATCH(gradients)
    (row - step, row, row + step, at.width, directions.data(), lengths.data());
    HWY_DYNAMIC_DISPATCH(orientation_planes)
    (directions.data(), lengths.data(), at.width,
     memory.data() + at.planes + (y + at.margin) * at.row_floats + at.margin * kOrientations);
  }
  return memory.data();
}

void DenseSift::read(const float* prepared, const ImageShape& shape,
                     std::span<const PositionRun> runs, MatrixView<float> descriptors) const {
  const Layout at(shape, cell_);
  const PixelPlace first = first_pixel(shape);
  std::vector<float> down;
  float* descriptor = descriptors.data();
  for (const PositionRun& run : runs) {
    const Index columns = (run.count - 1) * stride_ + field_ + 2 * at.margin;
    down.resize(static_cast<std::size_t>(kCells * columns * kOrientations));
    const float* corner = prepared + at.planes + (first.row + run.row * stride_) * at.row_floats +
                          (first.col + run.col * stride_) * kOrientations;
    HWY_DYNAMIC_DISPATCH(read_run)
    ({corner, at.row_floats, run.count, stride_, cell_, &weights_, prepared[0]}, down.data(),
     descriptor, descriptors.outerStride());
    descriptor += run.count * descriptors.outerStride();
  }
}

}  // namespace krica
#endif
