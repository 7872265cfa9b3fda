// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "krica/data/image_set.hpp"
#include "krica/runtime/error.hpp"
#include "patches/sample_units.hpp"
#include "support/comparison.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

ImageSetPtr samples(double factor = 1, double offset = 0, Index count = 40) {
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) {
    Random random(7, "tests.units", static_cast<std::uint64_t>(i));
    for (Index j = 0; j < 3; ++j)
      values.push_back(factor * (static_cast<double>(j + 1) * random.normal() + offset));
  }
  return as_images(
      std::make_shared<support::MemorySamples>(3, std::move(values), std::vector<int>{}, 0));
}

std::vector<float> in_units(const ImageSet& set, const SampleUnits& units) {
  const SamplesInUnits view(set, units);
  std::vector<float> numbers(static_cast<std::size_t>(set.size() * set.shape().values()));
  view.read(0, set.size(), numbers.data());
  return numbers;
}

std::vector<float> normalised(const ImageSet& set, const SampleUnits::Options& options = {}) {
  return in_units(set, SampleUnits::of(Context(), set, options));
}

TEST(SampleUnits, BringTheMeanVarianceToOneAndTheMeanToZero) {
  const std::vector<float> numbers = normalised(*samples(1e-6, 20));
  double squares = 0;
  double sum = 0;
  for (const float number : numbers) {
    squares += static_cast<double>(number) * static_cast<double>(number);
    sum += static_cast<double>(number);
  }
  EXPECT_NEAR(squares / 120, 1, 1e-6);
  EXPECT_NEAR(sum, 0, 1e-4);
}

TEST(SampleUnits, TheSameDataInAnotherUnitAreTheSameNumbers) {
  for (const SampleUnits::Options& options :
       {SampleUnits::Options{}, {.centred = false}, {.by_rows = true}}) {
    const std::vector<float> expected = normalised(*samples(1, 5), options);
    for (const double factor : {1e-9, 1e-3, 3.7, 1e9}) {
      const std::vector<float> other = normalised(*samples(factor, 5), options);
      for (std::size_t i = 0; i < other.size(); ++i)
        ASSERT_NEAR(other[i], expected[i], 1e-7F * std::abs(expected[i])) << factor;
    }
  }
}

TEST(SampleUnits, KeepTheDigitsOfSamplesFarFromZero) {
  const std::vector<float> near = normalised(*samples());
  const std::vector<float> far = normalised(*samples(1, 1e9));
  for (std::size_t i = 0; i < near.size(); ++i) EXPECT_NEAR(far[i], near[i], 1e-5F);
}

TEST(SampleUnits, HaveTheSameBitsForAnyNumberOfThreads) {
  const ImageSetPtr set = samples(1, 0.3, 5000);  // of several blocks
  for (const bool by_rows : {false, true}) {
    const SampleUnits one = SampleUnits::of(Context({.threads = 1}), *set, {.by_rows = by_rows});
    for (const int threads : {2, 3, 4}) {
      const SampleUnits more =
          SampleUnits::of(Context({.threads = threads}), *set, {.by_rows = by_rows});
      EXPECT_TRUE(support::same_bits(more.scale, one.scale)) << threads;
      EXPECT_EQ(more.centre, one.centre) << threads;
    }
  }
}

/// Sums over the ordered tree: after a large first row a left fold would lose every other one.
TEST(SampleUnits, AddManySamplesOverATree) {
  std::vector<double> values(6 * 1024, 1.0);
  values.front() = 0x1.0p53;
  const ImageSetPtr set = as_images(
      std::make_shared<support::MemorySamples>(1, std::move(values), std::vector<int>{}, 0));
  const SampleUnits units = SampleUnits::of(Context(), *set, {.rescaled = false});
  ASSERT_EQ(units.centre.size(), 1U);
  EXPECT_EQ(units.centre[0], (0x1.0p53 + 5 * 1024) / (6 * 1024));
}

TEST(SampleUnits, CanLeaveTheScaleAlone) {
  const ImageSetPtr set = samples(1e3);
  const SampleUnits units = SampleUnits::of(Context(), *set, {.rescaled = false, .centred = false});
  EXPECT_TRUE(units.is_identity());
  std::vector<float> raw(120);
  set->read(0, 40, raw.data());
  EXPECT_EQ(in_units(*set, units), raw);
}

TEST(SampleUnits, SurviveTheirFileAndAreTheIdentityInOldOnes) {
  const SampleUnits units = SampleUnits::of(Context(), *samples(1e-9, 3), {});
  Archive archive;
  EXPECT_TRUE(SampleUnits::load(archive).is_identity());
  units.save(archive);
  const SampleUnits loaded = SampleUnits::load(Archive::parse(archive.bytes(), "memory"));
  EXPECT_EQ(loaded.scale, units.scale);
  EXPECT_EQ(loaded.centre, units.centre);
  const std::vector<double> bad = {-1.0};
  archive.put_vector<double>("units.scale", bad);
  EXPECT_THROW(SampleUnits::load(archive), DataError);
}

TEST(SampleUnits, RefuseZerosAndOtherSizes) {
  EXPECT_THROW(SampleUnits::of(Context(), *samples(0), {}), InvalidArgument);
  const SampleUnits units{.centre = {1, 2}};
  const ImageSetPtr set = samples();
  EXPECT_THROW(SamplesInUnits(*set, units), InvalidArgument);
}

}  // namespace
}  // namespace krica
