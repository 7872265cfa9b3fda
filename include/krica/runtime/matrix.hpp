// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in the library's interface: row-major, one sample (or atom) per row.
//
//   ConstMatrixView<Scalar>   what a function reads; converts from any row-major Eigen matrix, Map,
//   MatrixView<Scalar>        block of rows, or krica::Matrix. What a function writes.
//   Matrix<Scalar>            what a function returns; owns its memory, 64-byte aligned.
//
// The views are Eigen::Maps, so all of Eigen works on them. They never copy or own memory: the
// caller keeps it alive. A column-major argument is a compile-time error, not a hidden copy. Owning
// Eigen matrices are not part of the interface, because their allocation depends on the caller's
// compiler flags.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "krica/runtime/library.hpp"

namespace krica {

using Index = std::int64_t;

template <class Scalar>
using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace internal {

/// True for row-major Eigen objects whose rows are contiguous in memory.
template <class Derived>
constexpr bool is_row_major_memory() {
  return (Derived::Flags & Eigen::RowMajorBit) != 0 &&
         (Derived::Flags & Eigen::DirectAccessBit) != 0 &&
         int(Derived::InnerStrideAtCompileTime) == 1;
}

template <class Scalar>
struct AlignedFree {
  void operator()(Scalar* memory) const noexcept {
    ::operator delete[](memory, std::align_val_t{64});
  }
};

}  // namespace internal

/// An owning, zero-initialised, row-major matrix.
template <class Scalar>
class KRICA_EXPORT Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols)
      : rows_(rows),
        cols_(cols),
        memory_(static_cast<Scalar*>(::operator new[](
            sizeof(Scalar) * static_cast<std::size_t>(rows * cols), std::align_val_t{64}))) {
    set_zero();
  }
  Matrix(const Matrix& other) : Matrix(other.rows_, other.cols_) { copy_from(other.data()); }
  Matrix(Matrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        memory_(std::move(other.memory_)) {}
  Matrix& operator=(Matrix other) noexcept {
    rows_ = other.rows_;
    cols_ = other.cols_;
    memory_ = std::move(other.memory_);
    return *this;
  }
  ~Matrix() = default;

  /// A copy of any row-major Eigen object or view.
  template <class Derived>
  static Matrix copy_of(const Eigen::DenseBase<Derived>& source) {
    Matrix copy(source.rows(), source.cols());
    copy.view() = source;
    return copy;
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Index size() const { return rows_ * cols_; }
  [[nodiscard]] Scalar* data() { return memory_.get(); }
  [[nodiscard]] const Scalar* data() const { return memory_.get(); }
  [[nodiscard]] Scalar* row(Index i) { return memory_.get() + i * cols_; }
  [[nodiscard]] const Scalar* row(Index i) const { return memory_.get() + i * cols_; }
  Scalar& operator()(Index i, Index j) { return memory_.get()[i * cols_ + j]; }
  Scalar operator()(Index i, Index j) const { return memory_.get()[i * cols_ + j]; }

  Matrix& operator+=(const Matrix& other) {
    view() += other.view();
    return *this;
  }
  void set_zero() {
    if (size() > 0)
      std::memset(memory_.get(), 0, sizeof(Scalar) * static_cast<std::size_t>(size()));
  }

  [[nodiscard]] Eigen::Map<RowMajor<Scalar>> view() { return {data(), rows_, cols_}; }
  [[nodiscard]] Eigen::Map<const RowMajor<Scalar>> view() const { return {data(), rows_, cols_}; }

 private:
  void copy_from(const Scalar* source) {
    if (size() > 0) std::memcpy(data(), source, sizeof(Scalar) * static_cast<std::size_t>(size()));
  }

  Index rows_ = 0;
  Index cols_ = 0;
  std::unique_ptr<Scalar[], internal::AlignedFree<Scalar>> memory_;
};

/// A read-only view of row-major memory, rows `stride` elements apart.
template <class Scalar>
class KRICA_EXPORT ConstMatrixView
    : public Eigen::Map<const RowMajor<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>> {
  using Base = Eigen::Map<const RowMajor<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>>;

 public:
  ConstMatrixView(const Scalar* data, Index rows, Index cols, Index stride)
      : Base(data, rows, cols, Eigen::OuterStride<>(stride)) {}
  ConstMatrixView(const Scalar* data, Index rows, Index cols)
      : ConstMatrixView(data, rows, cols, cols) {}

  // Implicit, so that a matrix can be passed as a view, as with std::string_view.
  ConstMatrixView(const Matrix<Scalar>& m)  // NOLINT(google-explicit-constructor)
      : ConstMatrixView(m.data(), m.rows(), m.cols()) {}
  template <class Derived>
  ConstMatrixView(const Eigen::MatrixBase<Derived>& m)  // NOLINT(google-explicit-constructor)
      : ConstMatrixView(m.derived().data(), m.rows(), m.cols(), m.derived().outerStride()) {
    static_assert(std::is_same_v<typename Derived::Scalar, Scalar>,
                  "krica: the scalar types differ");
    static_assert(internal::is_row_major_memory<Derived>(),
                  "krica takes row-major matrices, one sample per row (krica::RowMajor<Scalar>)");
  }

  [[nodiscard]] ConstMatrixView rows_between(Index begin, Index end) const {
    return {this->data() + begin * this->outerStride(), end - begin, this->cols(),
            this->outerStride()};
  }
};

/// A writable view of row-major memory.
template <class Scalar>
class KRICA_EXPORT MatrixView
    : public Eigen::Map<RowMajor<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>> {
  using Base = Eigen::Map<RowMajor<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>>;

 public:
  using Base::operator=;
  MatrixView(const MatrixView&) = default;
  /// Copies elements, as assignment does for every Eigen view.
  MatrixView& operator=(const MatrixView& other) {
    Base::operator=(other);
    return *this;
  }
  ~MatrixView() = default;

  MatrixView(Scalar* data, Index rows, Index cols, Index stride)
      : Base(data, rows, cols, Eigen::OuterStride<>(stride)) {}
  MatrixView(Scalar* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}

  MatrixView(Matrix<Scalar>& m)  // NOLINT(google-explicit-constructor)
      : MatrixView(m.data(), m.rows(), m.cols()) {}
  template <class Derived>
  MatrixView(Eigen::MatrixBase<Derived>& m)  // NOLINT(google-explicit-constructor)
      : MatrixView(m.derived().data(), m.rows(), m.cols(), m.derived().outerStride()) {
    static_assert(std::is_same_v<typename Derived::Scalar, Scalar>,
                  "krica: the scalar types differ");
    static_assert(internal::is_row_major_memory<Derived>(),
                  "krica takes row-major matrices, one sample per row (krica::RowMajor<Scalar>)");
  }

  [[nodiscard]] MatrixView rows_between(Index begin, Index end) const {
    auto* first = const_cast<Scalar*>(this->data()) + begin * this->outerStride();
    return {first, end - begin, this->cols(), this->outerStride()};
  }
};

}  // namespace krica
