// SPDX-License-Identifier: BSD-3-Clause
#include "data/npy_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "data/errors.hpp"
#include "data/npy_header.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr Index kScanBytes = Index{1} << 20;
constexpr Index kReadBytes = Index{1} << 18;

template <class Stored, class Scalar>
void convert(const std::uint8_t* raw, Index count, bool swapped, Scalar* out) {
  for (Index i = 0; i < count; ++i) {
    std::uint8_t bytes[sizeof(Stored)];
    std::memcpy(bytes, raw + i * static_cast<Index>(sizeof(Stored)), sizeof(Stored));
    if (swapped) std::reverse(bytes, bytes + sizeof(Stored));
    Stored value;
    std::memcpy(&value, bytes, sizeof(Stored));
    if constexpr (std::is_floating_point_v<Stored> && std::is_integral_v<Scalar>) {
      // Only labels are read so; anything that is no integer becomes one that no label has.
      const bool whole = value == std::floor(value) && std::abs(value) < Stored(1e9);
      out[i] = whole ? static_cast<Scalar>(value) : Scalar{-1};
    } else {
      out[i] = static_cast<Scalar>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    }
  }
}

template <class Scalar>
void convert_any(const NpyType& type, const std::uint8_t* raw, Index count, Scalar* out) {
  const bool swapped = type.swapped;
  if (type.kind == 'f') {
    return type.bytes == 4 ? convert<float>(raw, count, swapped, out)
                           : convert<double>(raw, count, swapped, out);
  }
  const bool is_signed = type.kind == 'i';
  switch (type.bytes) {
    case 1:
      return is_signed ? convert<std::int8_t>(raw, count, false, out)
                       : convert<std::uint8_t>(raw, count, false, out);
    case 2:
      return is_signed ? convert<std::int16_t>(raw, count, swapped, out)
                       : convert<std::uint16_t>(raw, count, swapped, out);
    case 4:
      return is_signed ? convert<std::int32_t>(raw, count, swapped, out)
                       : convert<std::uint32_t>(raw, count, swapped, out);
    default:
      return is_signed ? convert<std::int64_t>(raw, count, swapped, out)
                       : convert<std::uint64_t>(raw, count, swapped, out);
  }
}

/// The same numbers in C order. Runs over the output and keeps the input's position beside it.
ByteSourcePtr to_c_order(const Context& context, const ByteSource& source,
                         const NpyHeader& header) {
  const Index bytes = header.type.bytes;
  Index count = 1;
  for (const Index size : header.shape) count *= size;
  if (count * bytes > context.memory_bytes() / 2) {
    data_error("npy", source.name(),
               "column-major arrays are rearranged in memory, and {} bytes twice are more than the "
               "budget of {}; save it row-major (numpy.ascontiguousarray)",
               count * bytes, context.memory_bytes());
  }
  Bytes columns(static_cast<std::size_t>(count * bytes));
  source.read(header.data_at, count * bytes, columns.data());
  Bytes rows(columns.size());
  const std::size_t dimensions = header.shape.size();
  std::vector<Index> step(dimensions, bytes);  // in the input, along each dimension
  for (std::size_t d = 1; d < dimensions; ++d) step[d] = step[d - 1] * header.shape[d - 1];
  std::vector<Index> at(dimensions, 0);
  Index from = 0;
  for (Index i = 0; i < count; ++i) {
    std::memcpy(rows.data() + i * bytes, columns.data() + from, static_cast<std::size_t>(bytes));
    for (std::size_t d = dimensions; d-- > 0;) {
      from += step[d];
      if (++at[d] < header.shape[d]) break;
      from -= step[d] * header.shape[d];
      at[d] = 0;
    }
  }
  return memory_source(source.operation(), source.name(), std::move(rows));
}

struct NotFinite {
  Index count = 0;
  Index first = -1;  // flat, in C order
};

NotFinite scan_rows(const NpyArray& array, Range rows, bool narrow, std::vector<double>& block) {
  NotFinite found;
  const Index size = array.row_size();
  block.resize(static_cast<std::size_t>(rows.size() * size));
  array.read(rows.begin, rows.size(), block.data());
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool fits =
        narrow ? std::isfinite(static_cast<float>(block[i])) : std::isfinite(block[i]);
    if (fits) continue;
    if (found.count++ == 0) found.first = rows.begin * size + static_cast<Index>(i);
  }
  return found;
}

std::string position_text(const NpyArray& array, Index flat) {
  std::vector<Index> position(array.shape.size());
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    position[d] = flat % array.shape[d];
    flat /= array.shape[d];
  }
  return fmt::format("[{}]", fmt::join(position, ", "));
}

}  // namespace

Index NpyArray::row_size() const {
  Index size = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) size *= shape[d];
  return size;
}

template <class Scalar>
void NpyArray::read(Index first, Index count, Scalar* out) const {
  // In pieces of numbers, not of rows: a row may be long.
  const Index step = kReadBytes / type.bytes;
  const Index end = (first + count) * row_size();
  Bytes raw(static_cast<std::size_t>(std::min(step, count * row_size()) * type.bytes));
  for (Index i = first * row_size(); i < end; i += step) {
    const Index now = std::min(step, end - i);
    source->read(data_at + i * type.bytes, now * type.bytes, raw.data());
    convert_any(type, raw.data(), now, out);
    out += now;
  }
}

template void NpyArray::read(Index, Index, float*) const;
template void NpyArray::read(Index, Index, double*) const;
template void NpyArray::read(Index, Index, std::int64_t*) const;

NpyArray open_npy_array(const Context& context, ByteSourcePtr source) {
  NpyHeader header = read_npy_header(*source);
  if (header.column_major && header.shape.size() > 1) {
    source = to_c_order(context, *source, header);
    header.data_at = 0;
  }
  return {std::move(source), header.type, std::move(header.shape), header.data_at};
}

void require_finite_npy(const Context& context, const NpyArray& array, bool narrow) {
  if (array.type.kind != 'f') return;
  const Index row_bytes = array.row_size() * array.type.bytes;
  const Partition parts(array.rows(), std::max<Index>(1, kScanBytes / row_bytes));
  std::vector<NotFinite> found(static_cast<std::size_t>(parts.count()));
  parallel_for(context, parts.count(), [&](Index p) {
    std::vector<double> block;
    found[static_cast<std::size_t>(p)] = scan_rows(array, parts[p], narrow, block);
  });
  NotFinite all;
  for (const NotFinite& part : found) {
    if (all.count == 0) all.first = part.first;
    all.count += part.count;
  }
  if (all.count > 0) {
    data_error("npy", array.source->name(), "{} numbers are NaN or infinite, the first at {}",
               all.count, position_text(array, all.first));
  }
}

}  // namespace krica
