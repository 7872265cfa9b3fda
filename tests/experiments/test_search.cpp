// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "experiments/search.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/ranks.hpp"
#include "support/images.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using nlohmann::json;

class SearchTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] SearchJob job() const {
    SearchJob job;
    job.options.method = "random-patches";
    job.options.descriptor.patches = 300;
    job.options.basis.components = 4;
    job.options.classifier.C = 0.1;
    job.settings = {{{"gamma", 0.5}}, {{"gamma", 5}}, {{"receptive-field", 99}}};
    job.folds = 3;
    job.checkpoint = path_;
    return job;
  }

  std::filesystem::path path_ = fmt::format("{}krica-search-{}", testing::TempDir(), ::getpid());
  support::MemoryImages gratings_ = support::gratings(30);
  ImageSetPtr images_ = ImageSetPtr(&gratings_, [](const ImageSet*) {});  // not owned
  Context context_;
};

TEST_F(SearchTest, CrossValidatesEverySetting) {
  Search search(context_, images_, job());
  EXPECT_EQ(search.folds_left(job().settings[0]), 3);
  std::vector<int> folds;
  std::size_t rows_told = 0;
  const json rows = search.run({.fold = [&](std::size_t, int fold) { folds.push_back(fold); },
                                .row = [&](const json&) { ++rows_told; }});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows_told, 3U);
  EXPECT_THAT(folds, testing::ElementsAre(0, 1, 2, 0, 1, 2, 0));  // the last setting fails at once
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_GE(rows[i]["accuracy"].get<double>(), 0.3);
    EXPECT_LE(rows[i]["accuracy"].get<double>(), 1);
    EXPECT_GE(rows[i]["deviation"].get<double>(), 0);
  }
  EXPECT_THAT(rows[2]["error"].get<std::string>(), testing::HasSubstr("receptive field"));
  const double best =
      std::max(rows[0]["accuracy"].get<double>(), rows[1]["accuracy"].get<double>());
  EXPECT_EQ(best_of(rows)["accuracy"].get<double>(), best);
}

TEST_F(SearchTest, ResumesAfterTheLastFinishedFold) {
  const json whole = Search(context_, images_, job()).run();
  std::filesystem::remove(path_);
  Search first(context_, images_, job());
  int begun = 0;
  EXPECT_THROW(first.run({.fold =
                              [&](std::size_t, int) {
                                if (++begun == 3) context_.cancel();
                              }}),
               Cancelled);
  context_.clear_cancel();
  Search second(context_, images_, job());
  EXPECT_TRUE(second.checkpoint().resumed());
  EXPECT_EQ(second.folds_left(job().settings[0]), 1);
  EXPECT_EQ(second.run(), whole);
}

TEST_F(SearchTest, KeepsTheFoldsThatRanksHadFinished) {
  const json whole = Search(context_, images_, job()).run();
  std::filesystem::remove(path_);
  on_ranks(3, {.threads = 1}, [&](const Context& given) {
    const Context context = given.with_all_rows();
    Search search(context, images_, job());
    const auto stop = [&](std::size_t, int) {  // the first rank has fold 0 of 0, 1 and 2
      if (!is_first(context)) return;
      wait_for_other_jobs(context, 2);
      context.cancel();
    };
    EXPECT_THROW(search.run({.fold = stop}), Cancelled);
  });
  Search second(context_, images_, job());
  EXPECT_TRUE(second.checkpoint().resumed());
  EXPECT_EQ(second.folds_left(job().settings[0]), 1);
  std::vector<int> folds;
  EXPECT_EQ(second.run({.fold = [&](std::size_t, int fold) { folds.push_back(fold); }}), whole);
  EXPECT_THAT(folds, testing::ElementsAre(0, 0, 1, 2, 0));
}

TEST_F(SearchTest, RefusesAnotherSearchsCheckpoint) {
  Search(context_, images_, job()).run();
  SearchJob other = job();
  other.folds = 2;
  EXPECT_THROW(Search(context_, images_, other), InvalidArgument);
}

/// Its folds may have been computed with other defaults.
TEST_F(SearchTest, RefusesACheckpointOfAnotherLayout) {
  Search(context_, images_, job()).run();
  Archive archive = Archive::load(path_);
  json content = json::parse(archive.text("search"));
  content["layout"] = "4";
  archive.put_text("search", content.dump());
  archive.save(path_);
  try {
    Search(context_, images_, job());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("layout (saved \"4\", now"));
  }
}

/// The message names the file and what to do.
TEST_F(SearchTest, RefusesDamagedResults) {
  Search(context_, images_, job()).run();
  const Archive sound = Archive::load(path_);
  const auto refusal = [&](const std::function<void(json&)>& change) {
    json content = json::parse(sound.text("search"));
    change(content);
    Archive archive = sound;
    archive.put_text("search", content.dump());
    archive.save(path_);
    try {
      Search(context_, images_, job()).run();
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const auto result = [&](const json& value) {
    return [this, value](json& content) { content["finished"][job().settings[0].dump()] = value; };
  };
  const std::vector<std::function<void(json&)>> changes = {
      [](json& content) { content["finished"] = {1}; },
      [](json& content) { content.erase("finished"); },
      [](json& content) { content["options"] = "text"; },
      [](json& content) { content = {1}; },
      [](json& content) {
        json deep;
        for (int level = 0; level < 1000; ++level) deep = json::array({std::move(deep)});
        content["finished"] = std::move(deep);
      },
      result(7),
      result({{"error", 7}}),
      result({{"accuracies", "zz"}}),
      result({{"accuracies", {1e300, 0.5, 0.5}}}),
      result({{"accuracies", {-0.1, 0.5, 0.5}}}),
      result({{"accuracies", {"0.5", 0.5, 0.5}}}),
      result({{"accuracies", {0.5, 0.5, 0.5, 0.5}}}),
  };
  for (const auto& change : changes) {
    EXPECT_THAT(refusal(change), testing::AllOf(testing::HasSubstr(path_.string()),
                                                testing::HasSubstr("remove it to start over")));
  }
  EXPECT_EQ(refusal(result({{"accuracies", {1, nullptr, 0}}})), "taken");  // that is, it resumed
}

TEST(Settings, AreOptionsThatExist) {
  EXPECT_EQ(with_setting({}, {{"gamma", 3}}).kernel.gamma, 3.0);
  EXPECT_THROW(with_setting({}, {{"gama", 3}}), InvalidArgument);
  EXPECT_THROW(with_setting({}, {{"gamma", "wide"}}), InvalidArgument);
}

TEST(Settings, IfAllFailTheReasonIsTold) {
  EXPECT_THROW(best_of({{{"options", {}}, {"error", "[train] no"}}}), InvalidArgument);
}

}  // namespace
}  // namespace krica
