// SPDX-License-Identifier: BSD-3-Clause
//
// Archive: named tensors and text, in memory and as a safetensors file. Solver states, checkpoints
// and models are archives.
//
// The file can be read by the safetensors libraries of Python and Rust: 8 bytes header length, a
// JSON header, raw little-endian tensors. We add one metadata key, "sha256": the digest of the
// whole file with these 64 digits written as zeros. Equal contents give equal files: no dates,
// hosts or paths. Files are written under a temporary name, synced and renamed, so a reader sees
// either the old file or the new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class KRICA_EXPORT Archive {
 public:
  /// Tensors: float, double, std::int64_t, std::uint8_t. Replaces an existing tensor of the same
  /// name.
  template <class Scalar>
  void put(const std::string& name, ConstMatrixView<Scalar> matrix);
  template <class Scalar>
  void put(const std::string& name, const Matrix<Scalar>& matrix) {
    put<Scalar>(name, ConstMatrixView<Scalar>(matrix));
  }
  template <class Scalar>
  void put_vector(const std::string& name, std::span<const Scalar> values);
  template <class Scalar>
  void put_scalar(const std::string& name, Scalar value) {
    put_vector<Scalar>(name, {&value, 1});
  }
  void put_text(const std::string& key, std::string text) { text_[key] = std::move(text); }

  /// Removes a tensor, if present.
  void remove(const std::string& name) { tensors_.erase(name); }

  /// Throw DataError if the name is missing or the type or number of dimensions differs.
  template <class Scalar>
  [[nodiscard]] Matrix<Scalar> matrix(const std::string& name) const;
  template <class Scalar>
  [[nodiscard]] std::vector<Scalar> vector(const std::string& name) const;
  /// A vector that must hold `count` values; throws DataError otherwise.
  template <class Scalar>
  [[nodiscard]] std::vector<Scalar> vector(const std::string& name, Index count) const;
  template <class Scalar>
  [[nodiscard]] Scalar scalar(const std::string& name) const {
    return vector<Scalar>(name, 1)[0];
  }
  [[nodiscard]] const std::string& text(const std::string& key) const;

  [[nodiscard]] bool has(const std::string& name) const { return tensors_.contains(name); }
  [[nodiscard]] bool has_text(const std::string& key) const { return text_.contains(key); }
  [[nodiscard]] bool has_tensors() const { return !tensors_.empty(); }
  [[nodiscard]] bool empty() const { return tensors_.empty() && text_.empty(); }

  /// To and from the bytes of a file. parse() throws DataError("[archive] source: ...") for
  /// anything but a valid archive; it checks every length before allocating.
  [[nodiscard]] std::string bytes() const;
  static Archive parse(std::string_view bytes, const std::string& source);

  /// Throw IoError if the file cannot be written or read; load() also throws DataError like
  /// parse().
  void save(const std::filesystem::path& path) const;
  static Archive load(const std::filesystem::path& path);

 private:
  struct Tensor {
    std::string dtype;
    std::vector<Index> shape;
    std::string data;
  };
  template <class Scalar>
  [[nodiscard]] const Tensor& find(const std::string& name, std::size_t dimensions) const;

  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> text_;
};

}  // namespace krica
