// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/ranges.h>

#include "data/byte_source.hpp"
#include "data/npy.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/check.hpp"
#include "runtime/ranks.hpp"
#include "runtime/shared_file.hpp"

namespace krica {
namespace {

template <class Scalar>
constexpr std::string_view kDescr;
template <>
constexpr std::string_view kDescr<bool> = "|b1";
template <>
constexpr std::string_view kDescr<std::uint8_t> = "|u1";
template <>
constexpr std::string_view kDescr<std::int32_t> = "<i4";
template <>
constexpr std::string_view kDescr<std::int64_t> = "<i8";
template <>
constexpr std::string_view kDescr<float> = "<f4";
template <>
constexpr std::string_view kDescr<double> = "<f8";

/// Version 1, padded so that the data is aligned to 64 bytes, as in numpy.
std::string header_of(std::string_view descr, const std::vector<Index>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header = "\x93NUMPY";
  header +=
      {'\x01', '\x00', static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  return header + text;
}

Index count_of(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index size : shape) count = checked_product(count, size);
  require(!shape.empty() && count >= 0, "npy", "cannot write an array of shape ({})",
          fmt::join(shape, ", "));
  return count;
}

}  // namespace

template <class Scalar>
NpyWriter<Scalar>::NpyWriter(const std::filesystem::path& path, const std::vector<Index>& shape)
    : file_(std::make_unique<AtomicFile>("npy", path)), missing_(count_of(shape)) {
  const std::string header = header_of(kDescr<Scalar>, shape);
  file_->write(header.data(), header.size());
}

template <class Scalar>
NpyWriter<Scalar>::~NpyWriter() = default;

template <class Scalar>
void NpyWriter<Scalar>::write(const Scalar* data, Index count) {
  require(count >= 0 && count <= missing_, "npy", "{} numbers, but only {} are missing", count,
          missing_);
  file_->write(data, sizeof(Scalar) * static_cast<std::size_t>(count));
  missing_ -= count;
}

template <class Scalar>
void NpyWriter<Scalar>::commit() {
  require(missing_ == 0, "npy", "{} numbers are missing", missing_);
  file_->commit();
}

NpyRows::NpyRows(const Context& context, const std::filesystem::path& path, Index rows, Index cols)
    : file_(std::make_unique<SharedFile>(context, "npy", path)), rows_(rows), cols_(cols) {
  count_of({rows, cols});
  const std::string header = header_of(kDescr<float>, {rows, cols});
  header_bytes_ = header.size();
  agree(context, [&] {
    if (!context.shares_rows() || is_first(context))
      file_->write_at(0, header.data(), header.size());
  });
}

NpyRows::~NpyRows() = default;

void NpyRows::write(Index first, Index count, const float* data) {
  require(first >= 0 && count >= 0 && count <= rows_ - first, "npy", "rows {} to {} of {}", first,
          first + count - 1, rows_);
  const std::size_t row_bytes = sizeof(float) * static_cast<std::size_t>(cols_);
  file_->write_at(header_bytes_ + static_cast<std::size_t>(first) * row_bytes, data,
                  static_cast<std::size_t>(count) * row_bytes);
}

void NpyRows::commit() { file_->commit(); }

template class NpyWriter<bool>;
template class NpyWriter<std::uint8_t>;
template class NpyWriter<std::int32_t>;
template class NpyWriter<std::int64_t>;
template class NpyWriter<float>;
template class NpyWriter<double>;

}  // namespace krica
