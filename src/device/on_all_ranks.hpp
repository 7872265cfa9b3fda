// SPDX-License-Identifier: BSD-3-Clause
//
// What GPUs of several ranks must have in common: ranks that compute alike, or divide a sum, use
// their GPUs all or not at all, with blocks of the same size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica::device {

/// The smallest of the ranks' numbers. What `own` throws on one rank is thrown on all.
template <class Own>
std::size_t smallest_on_ranks(const Context& context, Own own) {
  const Context all = dividing(context);
  std::uint64_t smallest = 0;
  agree(all, [&] { smallest = own(); });
  if (!all.shares_rows()) return smallest;
  std::vector<std::uint64_t> each(static_cast<std::size_t>(all.ranks()->size()));
  each[static_cast<std::size_t>(all.ranks()->rank())] = smallest;
  all.ranks()->all_gather(each.data(),
                          std::vector<std::size_t>(each.size(), sizeof(std::uint64_t)));
  return *std::ranges::min_element(each);
}

/// use_device(), and memory_budget() of the rank that has least.
inline std::size_t budget_on_ranks(const Context& context) {
  return smallest_on_ranks(context, [&] {
    use_device(context);
    return memory_budget(context);
  });
}

/// What make() returns, or null on every rank if it throws DeviceError (kOutOfMemory) or returns
/// null on any of them. Other errors of one rank are thrown on all.
template <class Twin, class Make>
std::unique_ptr<Twin> made_on_all_ranks(const Context& context, Make make) {
  std::unique_ptr<Twin> twin;
  const std::size_t fitting = smallest_on_ranks(context, [&]() -> std::size_t {
    try {
      twin = make();
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory) throw;
    }
    return twin ? 1 : 0;
  });
  return fitting == 1 ? std::move(twin) : nullptr;
}

}  // namespace krica::device
