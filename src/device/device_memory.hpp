// SPDX-License-Identifier: BSD-3-Clause
//
// DeviceArray: memory on the current device, which grows and never shrinks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace krica::device {

/// Throws DeviceError: kOutOfMemory, kNoDevice, kFailed.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
/// Between host and device in any direction; waits. Throws DeviceError.
void copy(void* to, const void* from, std::size_t bytes);

/// Everything throws what allocate() and copy() do.
template <class Value>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(const std::vector<Value>& values) { assign(values); }
  ~DeviceArray() { release(memory_); }
  DeviceArray(DeviceArray&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Contents are lost where it grows.
  void fit(std::size_t size) {
    if (size <= size_) return;
    release(std::exchange(memory_, nullptr));
    size_ = 0;
    memory_ = static_cast<Value*>(allocate(size * sizeof(Value)));
    size_ = size;
  }
  void assign(const std::vector<Value>& values) {
    fit(values.size());
    copy(memory_, values.data(), values.size() * sizeof(Value));
  }
  [[nodiscard]] std::vector<Value> values() const {
    std::vector<Value> host(size_);
    copy(host.data(), memory_, size_ * sizeof(Value));
    return host;
  }
  [[nodiscard]] Value* data() { return memory_; }
  [[nodiscard]] const Value* data() const { return memory_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Value* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace krica::device
