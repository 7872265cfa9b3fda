// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

using support::refusal;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Context, TakesItsOptions) {
  const Context context({.threads = 3, .seed = 7, .memory_bytes = 1000});
  EXPECT_EQ(context.threads(), 3);
  EXPECT_EQ(context.seed(), 7U);
  EXPECT_EQ(context.memory_bytes(), 1000);
}

TEST(Context, UsesAllCoresByDefault) {
  const Context context;
  EXPECT_GE(context.threads(), 1);
  EXPECT_EQ(context.seed(), 0U);
  EXPECT_EQ(context.memory_bytes(), std::int64_t{4} << 30);
}

TEST(Context, RefusesBadOptions) {
  const auto message = [](ContextOptions options) { return refusal([&] { options.validate(); }); };
  EXPECT_THAT(message({.threads = -1}),
              AllOf(StartsWith("[context]"), HasSubstr("threads"), HasSubstr("-1")));
  EXPECT_THAT(message({.threads = 257}), HasSubstr("257"));
  EXPECT_THAT(message({.memory_bytes = 0}), AllOf(HasSubstr("memory_bytes"), HasSubstr("0")));
  EXPECT_THAT(message({.memory_bytes = -5}), HasSubstr("-5"));
  EXPECT_EQ(message({.threads = 256}), "");
  EXPECT_THROW(Context({.threads = -1}), InvalidArgument);
}

TEST(Context, OpensRandomStreamsOfItsSeed) {
  const Context context({.seed = 11});
  Random random = context.random("purpose", 4);
  Random expected(11, "purpose", 4);
  EXPECT_EQ(random(), expected());
}

TEST(Context, ReportsProgressToItsCallback) {
  std::vector<std::string> reports;
  const Context context({.progress = [&](const Progress& progress) {
    reports.push_back(std::string(progress.stage) + " " + std::to_string(progress.step) + "/" +
                      std::to_string(progress.total) + " " + std::to_string(progress.value));
  }});
  context.report({.stage = "lbfgs", .step = 2, .total = 9, .value = 0.5});
  EXPECT_THAT(reports, testing::ElementsAre("lbfgs 2/9 0.500000"));
  EXPECT_NO_THROW(Context().report({.stage = "lbfgs"}));
}

TEST(Context, CancelsUntilCleared) {
  const Context context;
  EXPECT_FALSE(context.cancelled());
  EXPECT_NO_THROW(context.check_cancelled());
  context.cancel();
  EXPECT_TRUE(context.cancelled());
  EXPECT_THROW(context.check_cancelled(), Cancelled);
  context.clear_cancel();
  EXPECT_FALSE(context.cancelled());
  EXPECT_NO_THROW(context.check_cancelled());
}

TEST(Context, CopiesShareTheirCancellation) {
  const Context context;
  const Context copy = context;
  copy.cancel();
  EXPECT_TRUE(context.cancelled());
  EXPECT_FALSE(Context().cancelled());
}

TEST(Context, WithAnotherSeedSharesTheRest) {
  const Context context({.threads = 2, .seed = 1});
  const Context other = context.with_seed(5);
  EXPECT_EQ(other.seed(), 5U);
  EXPECT_EQ(context.seed(), 1U);
  EXPECT_EQ(other.threads(), 2);
  context.cancel();
  EXPECT_TRUE(other.cancelled());
}

TEST(Errors, AreWhatTheirKindSays) {
  EXPECT_THROW(throw InvalidArgument("x"), std::invalid_argument);
  EXPECT_THROW(throw DataError("x"), std::runtime_error);
  EXPECT_THROW(throw IoError("x"), std::runtime_error);
  EXPECT_THROW(throw Cancelled(), std::runtime_error);
}

}  // namespace
}  // namespace krica
