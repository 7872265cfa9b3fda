// SPDX-License-Identifier: BSD-3-Clause
//
// A job is resumed on the kind of device and in the precision that it began with.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "krica/runtime/error.hpp"
#include "models/checkpoint.hpp"

namespace krica {
namespace {

class CheckpointDevice : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  void begin(const Context& context) {
    Checkpoint checkpoint(context, path_, options_, "images");
    checkpoint.store_features_done(1);
  }
  bool resumes(const Context& context) {
    return Checkpoint(context, path_, options_, "images").resumed();
  }

  PipelineOptions options_;
  std::filesystem::path path_ =
      fmt::format("{}krica-checkpoint-device-{}", testing::TempDir(), ::getpid());
  Context cpu_;
  Context tf32_ = Context({.device = "cuda"});
  Context other_card_ = Context({.device = "cuda:1"});
  Context bf16_ = Context({.device = "cuda", .precision = Precision::kBf16});
};

TEST_F(CheckpointDevice, TheCpuDoesNotContinueAGpusJob) {
  begin(tf32_);
  try {
    resumes(cpu_);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("made on a GPU in tf32, this is the CPU"));
  }
  EXPECT_THROW(resumes(bf16_), InvalidArgument);
  EXPECT_TRUE(resumes(tf32_));
  EXPECT_TRUE(resumes(other_card_));
}

TEST_F(CheckpointDevice, AGpuDoesNotContinueTheCpusJob) {
  begin(cpu_);
  EXPECT_THROW(resumes(tf32_), InvalidArgument);
  EXPECT_TRUE(resumes(cpu_));
}

}  // namespace
}  // namespace krica
