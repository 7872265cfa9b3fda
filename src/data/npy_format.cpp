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
      // Only labels are read this way.
      const bool whole = value == std::floor(value) && std::abs(value) < Stored(1e15);
      out[i] = whole ? static_cast<Scalar>(value) : kNoInteger;
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

/// The same numbers in C order. Iterates over the output and tracks the position in the input.
ByteSourcePtr to_c_order(const Context& context, const ByteSource& source,
                         const NpyHeader& header) {
  const Index bytes = header.type.bytes;
  Index count = 1;
  for (const Index size : header.shape) count *= size;
  if (count * bytes > context.memory_bytes() / 2) {
    data_error("npy", source.name(),
               "column-major arrays are rearranged in memory, and twice {} bytes exceeds the "
               "budget of {}; save it row-major (numpy.ascontiguousarray)",
               count * bytes, context.memory_bytes());
  }
  Bytes columns(static_cast<std::size_t>(count * bytes));
  source.read(header.data_at, count * bytes, columns.data());
  Bytes rows(columns.size());
  const std::size_t dimensions = header.shape.size();
  std::vector<Index> step(dimensions, bytes);  // step in the input along each dimension
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

/// Appends the character as UTF-8; false if it is not a valid character.
bool append_utf8(std::uint32_t character, std::string& text) {
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  if (character > 0x10ffff || surrogate) return false;
  if (character < 0x80) {
    text += static_cast<char>(character);
    return true;
  }
  if (character < 0x800) {
    text += static_cast<char>(0xc0 | character >> 6);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | character >> 12);
    tail(6);
  } else {
    text += static_cast<char>(0xf0 | character >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
  return true;
}

/// One zero-padded element. Bytes ('S') are interpreted as UTF-8.
bool decode_text(const NpyType& type, const Bytes& raw, std::string& text) {
  if (type.kind == 'S') {
    text.assign(raw.begin(), raw.end());
  } else {
    for (std::size_t at = 0; at < raw.size(); at += 4) {
      std::uint32_t character = 0;
      convert<std::uint32_t>(raw.data() + at, 1, type.swapped, &character);
      if (!append_utf8(character, text)) return false;
    }
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return true;
}

/// Numbers of one kind.
struct Found {
  Index count = 0;
  Index first = -1;  // flat, in C order

  void add(Index place) {
    if (count++ == 0) first = place;
  }
  /// Of places that follow.
  void add(const Found& next) {
    if (count == 0) first = next.first;
    count += next.count;
  }
};

struct Unusable {
  Found not_finite;
  Found beyond_float;
};

Unusable scan_rows(const NpyArray& array, Range rows, bool narrow, std::vector<double>& block) {
  Unusable found;
  const Index size = array.row_size();
  block.resize(static_cast<std::size_t>(rows.size() * size));
  array.read(rows.begin, rows.size(), block.data());
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Index place = rows.begin * size + static_cast<Index>(i);
    if (!std::isfinite(block[i])) {
      found.not_finite.add(place);
    } else if (narrow && !std::isfinite(static_cast<float>(block[i]))) {
      found.beyond_float.add(place);
    }
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
  // In blocks of numbers, not rows: a row may be long.
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

std::vector<std::string> NpyArray::read_text() const {
  Bytes raw(static_cast<std::size_t>(type.bytes));
  std::vector<std::string> texts(static_cast<std::size_t>(rows() * row_size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    source->read(data_at + static_cast<Index>(i) * type.bytes, type.bytes, raw.data());
    if (!decode_text(type, raw, texts[i]))
      data_error("npy", source->name(), "the text at position {} is not Unicode", i);
  }
  return texts;
}

template void NpyArray::read(Index, Index, float*) const;
template void NpyArray::read(Index, Index, double*) const;
template void NpyArray::read(Index, Index, std::int64_t*) const;

NpyArray open_npy_array(const Context& context, ByteSourcePtr source, NpyContent content) {
  NpyHeader header = read_npy_header(*source);
  if (content == NpyContent::kNumbers && header.type.is_text()) {
    data_error("npy", source->name(), "an array of {}; only labels may be text",
               header.type.name());
  }
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
  std::vector<Unusable> found(static_cast<std::size_t>(parts.count()));
  const Work work = work_of(array.rows(), array.row_size(), kPerValue);
  parallel_for(context, parts.count(), work, [&](Index p) {
    std::vector<double> block;
    found[static_cast<std::size_t>(p)] = scan_rows(array, parts[p], narrow, block);
  });
  Unusable all;
  for (const Unusable& part : found) {
    all.not_finite.add(part.not_finite);
    all.beyond_float.add(part.beyond_float);
  }
  if (all.not_finite.count > 0) {
    data_error("npy", array.source->name(), "{} numbers are NaN or infinite, the first at {}",
               all.not_finite.count, position_text(array, all.not_finite.first));
  }
  if (all.beyond_float.count > 0) {
    data_error("npy", array.source->name(),
               "{} numbers are beyond float32 (3.4e38), the first at {}; scale the data, e.g. to "
               "0 ... 255",
               all.beyond_float.count, position_text(array, all.beyond_float.first));
  }
}

}  // namespace krica
