// SPDX-License-Identifier: BSD-3-Clause
//
// PlacedTwin: an operation's twin on the context's GPU, made when it is first wanted, and again
// where a context asks for another device or precision.
#pragma once

#include <memory>
#include <optional>

#include "device/on_all_ranks.hpp"

namespace krica {

template <class Twin>
class PlacedTwin {
 public:
  /// The twin, or null if the CPU is to compute: the context has no device, or what is needed does
  /// not fit its memory, or that of another rank's. make(products, memory_bytes): a new one. Throws
  /// DeviceError if the device is missing or fails.
  template <class Make>
  Twin* in(const Context& context, Make make) {
    if (!context.cuda_device()) return nullptr;
    const Place place = {context.cuda_device(), context.precision()};
    if (place == place_) {
      agree(dividing(context), [&] { device::use_device(context); });  // it may have failed
    } else {
      make_in(place, context, make);
    }
    return twin_.get();
  }
  /// What in() returned last in a context with a device.
  [[nodiscard]] Twin* get() const { return twin_.get(); }

 private:
  struct Place {
    std::optional<int> device;
    Precision precision = Precision::kFloat32;
    bool operator==(const Place&) const = default;
  };

  template <class Make>
  void make_in(const Place& place, const Context& context, Make make) {
    place_ = {};
    twin_ = nullptr;
    const std::size_t memory_bytes = device::budget_on_ranks(context);
    twin_ = device::made_on_all_ranks<Twin>(
        context, [&] { return make(device::products_of(context.precision()), memory_bytes); });
    place_ = place;
  }

  Place place_;
  std::unique_ptr<Twin> twin_;  // null: it did not fit, or none was asked for
};

}  // namespace krica
