// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "models/data_facts.hpp"
#include "models/memory_plan.hpp"
#include "models/resolved.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

constexpr DataFacts kFacts{{32, 32, 3}, 10000, 10};
constexpr std::int64_t kMebibyte = 1 << 20;

PipelineOptions settled(std::string_view method, Index components, const DataFacts& facts) {
  PipelineOptions options;
  options.method = std::string(method);
  options.basis.components = components;
  return resolved(options, facts);
}

Context budget(std::int64_t mebibytes) {
  return Context({.threads = 2, .memory_bytes = mebibytes * kMebibyte});
}

std::string refusal(std::int64_t mebibytes, const PipelineOptions& options) {
  try {
    planned(budget(mebibytes), kFacts, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

TEST(MemoryPlan, NamesTheLeastBudgetThatSuffices) {
  for (const BasisMethod& method : basis_methods()) {
    const PipelineOptions options = settled(method.name, 800, kFacts);
    const std::string words = refusal(1, options);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(words, found, std::regex("at least (\\d+)M, got 1M"))) << words;
    const std::int64_t least = std::stoll(found[1]);
    EXPECT_EQ(refusal(least, options), "") << method.name;
    EXPECT_NE(refusal(least - 1, options), "") << method.name;
  }
}

TEST(MemoryPlan, LeavesTheRestToPatchesAndFeatures) {
  const PipelineOptions options = settled("kica", 200, kFacts);
  const auto left = planned(budget(1024), kFacts, options).memory_bytes();
  EXPECT_LT(left, 1024 * kMebibyte);
  EXPECT_GE(left, 512 * kMebibyte);
  PipelineOptions small = settled("omp-1", 8, kFacts);
  small.descriptor.patches = 1000;
  EXPECT_EQ(planned(budget(1024), kFacts, small).memory_bytes(), 1024 * kMebibyte);
}

TEST(MemoryPlan, SaysWhatNeedsTheMemory) {
  EXPECT_THAT(refusal(64, settled("kica", 200, kFacts)), testing::HasSubstr("kernel PCA"));
  EXPECT_THAT(refusal(64, settled("krica", 800, kFacts)), testing::HasSubstr("800 atoms by krica"));
  EXPECT_THAT(refusal(16, settled("raw-pixels", 1, kFacts)),
              testing::HasSubstr("classifier of 10000 images with 3072 features"));
  EXPECT_THAT(refusal(256, settled("lc-ksvd", 200, kFacts)),
              testing::HasSubstr("dictionary of 10000 images with 21504 features"));
}

TEST(MemoryPlan, TakesEveryMethodWith200AtomsFrom256M) {
  for (const BasisMethod& method : basis_methods()) {
    PipelineOptions options = settled(method.name, 200, kFacts);
    if (method.classifies) options.dictionary.words = 20;  // principal components of 420 features
    // Nine channels per atom; a pyramid; twice as many groups in the second layer.
    const bool large = method.encoder == "tangents" || method.network;
    EXPECT_EQ(refusal(large ? 512 : 256, options), "") << method.name;
  }
  for (const auto* method : {"random-patches", "kmeans-triangle", "omp-1", "krica"})
    EXPECT_EQ(refusal(64, settled(method, 200, kFacts)), "");
}

TEST(MemoryPlan, CountsTheReconstructionTermOfMaxMarginTraining) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "no /proc, or a sanitizer's own memory";
  const auto images = support::gratings(30);
  PipelineOptions options = support::small_options("max-margin-krica");
  options.basis.components = 1500;
  options.descriptor.patches = 1600;
  options.basis.init = "random-patches";
  options.encoder.kind = EncoderKind::kKernel;
  options.basis.epochs = 1;
  options.classifier.C = 1;
  const DataFacts facts = facts_of(images, true);
  const double plain = working_memory(1, facts, resolved(options, facts)).bytes;
  options.max_margin.reconstruction = 0.1;
  const PipelineOptions settled = resolved(options, facts);
  const double planned = working_memory(1, facts, settled).bytes;
  const support::PeakMemory peak;
  train(Context({.threads = 1}), images, {options});
  const auto held = static_cast<double>(peak.bytes());
  EXPECT_GT(held, plain + 16 * kMebibyte) << "else this job tells nothing";
  EXPECT_LE(held, planned + 16 * kMebibyte);
  EXPECT_LE(planned, 2 * held);
}

TEST(MemoryPlan, CountsWhatRanksSendEachOther) {
  const PipelineOptions options = settled("krica", 1600, kFacts);
  const double alone = working_memory(1, kFacts, options).bytes;
  constexpr double kSum = 4.0 * 1600 * 1600;
  // Of 8 groups: 4 of its own, one in slices, and its half of the other's.
  EXPECT_NEAR(alone - working_memory(1, kFacts, options, 2).bytes, 2.5 * kSum, 0.2 * kSum);
  EXPECT_GT(working_memory(1, kFacts, options, 8).bytes, alone - 6 * kSum);
}

}  // namespace
}  // namespace krica
