// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/pool_power.hpp"
#include "device/use_device.hpp"

namespace krica::device {
namespace {

TEST(Devices, NeedAmpere) {
  EXPECT_EQ(why_unusable(8, 0), "");
  EXPECT_EQ(why_unusable(9, 0), "");
  EXPECT_EQ(why_unusable(12, 0), "");
  EXPECT_THAT(why_unusable(7, 5), testing::HasSubstr("8.0 or newer (Ampere), this is 7.5"));
}

TEST(Devices, OnlyHopperRunsItsKernels) {
  EXPECT_TRUE(has_hopper_kernels(9, 0));
  EXPECT_FALSE(has_hopper_kernels(8, 0));
  EXPECT_FALSE(has_hopper_kernels(10, 0));
}

TEST(Devices, TheCpuNeedsNone) { EXPECT_NO_THROW(use_device(Context())); }

TEST(Devices, OneThatIsMissingIsNamed) {
  const Context context({.device = "cuda:1234"});
  try {
    use_device(context);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice);
    EXPECT_THAT(error.what(), testing::HasSubstr("--device cpu"));
  }
}

TEST(Devices, AListWithoutDevicesSaysWhy) {
  const DeviceList list = list_devices();
  EXPECT_EQ(list.devices.empty(), !list.why_none.empty());
  if (!built_with_cuda()) {
    EXPECT_THAT(list.why_none, testing::HasSubstr("docs/gpu.md"));
  }
  for (const Device& device : list.devices) EXPECT_GT(device.memory_bytes, 0U);
}

TEST(Devices, WithoutOneMemoryIsAnErrorThatSaysSo) {
  DeviceArray<float> array;
  array.fit(0);  // needs none
  EXPECT_EQ(array.size(), 0U);
  if (!list_devices().devices.empty()) {
    array.fit(1);
    EXPECT_EQ(array.size(), 1U);
    return;
  }
  try {
    array.fit(1);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice) << error.what();
    EXPECT_THAT(error.what(), testing::StartsWith("[device] "));
    EXPECT_EQ(array.size(), 0U);
  }
  EXPECT_THROW(device_facts(), DeviceError);
}

using OnDeviceMemory = OnDevice;

TEST_F(OnDeviceMemory, HoldsWhatWasPutThere) {
  const std::vector<float> values = {1, 2, 3};
  DeviceArray<float> array(values);
  DeviceArray<float> moved = std::move(array);
  EXPECT_EQ(moved.values(), values);
  moved.fit(2);
  EXPECT_EQ(moved.size(), 3U);
}

TEST_F(OnDeviceMemory, TooMuchIsAnErrorThatSaysSo) {
  try {
    DeviceArray<float> array;
    array.fit(std::size_t{1} << 50);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kOutOfMemory) << error.what();
  }
}

/// After a wild pointer the process has lost its device, as after a fault of the card.
int exit_code_of_a_lost_device() {
  DeviceArray<float> array;
  array.fit(1);
  try {
    raise_to_power(0.5, array.data() + (std::ptrdiff_t{1} << 44), 1);
    wait_for_device();
  } catch (const DeviceError& error) {
    if (error.trouble() != Trouble::kFailed) return 1;
  }
  try {
    array.fit(1 << 20);
  } catch (const DeviceError& error) {
    return error.trouble() == Trouble::kFailed ? 7 : 1;
  }
  return 1;
}

using OnDeviceDeathTest = OnDevice;

TEST_F(OnDeviceDeathTest, ALostDeviceIsAnErrorInEveryCall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process of its own
  EXPECT_EXIT(std::exit(exit_code_of_a_lost_device()), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace krica::device
