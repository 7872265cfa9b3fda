// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/rows.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/file.hpp"

namespace krica {
namespace {

using support::scratch_directory;
using support::small_row;

TEST(Results, RowsComeBackAsTheyWere) {
  const auto path = scratch_directory("results") / "results.jsonl";
  ResultRow failed = small_row("KSR", "fold 1");
  failed.error = "too slow";
  ResultRow similar = small_row("RICA", "fold 2");
  similar.distances = Matrix<float>(2, 2);
  similar.distances(0, 1) = similar.distances(1, 0) = 1.25F;
  similar.block_score = 1.5;
  {
    ResultsFile results(path);
    results.append(small_row("RICA", "fold 1"));
    results.append(std::move(failed));
    results.append(std::move(similar));
  }
  const ResultsFile results(path);
  ASSERT_EQ(results.rows().size(), 3U);
  const ResultRow& first = results.rows()[0];
  EXPECT_EQ(to_json(first), to_json(small_row("RICA", "fold 1")));
  EXPECT_TRUE(std::isnan(first.identity.value));
  EXPECT_EQ(first.key, first.identity.key());
  EXPECT_EQ(first.trial.evaluation().accuracy, 0.75);
  EXPECT_EQ(first.trial.stages[1].peak_bytes, 2000);
  EXPECT_EQ(results.rows()[1].error, "too slow");
  EXPECT_EQ(results.rows()[2].distances(1, 0), 1.25F);
  EXPECT_EQ(results.rows()[2].block_score, 1.5);
  EXPECT_EQ(results.find(first.key), &first);
  EXPECT_EQ(results.find("none"), nullptr);
}

TEST(Results, TornLastLineIsCutOff) {
  const auto path = scratch_directory("torn") / "results.jsonl";
  ResultsFile(path).append(small_row("RICA", "fold 1"));
  const std::string whole = read_file(path);
  std::ofstream(path, std::ios::app) << whole.substr(0, whole.size() / 2);
  ResultsFile results(path);
  EXPECT_EQ(results.rows().size(), 1U);
  EXPECT_EQ(read_file(path), whole);
  results.append(small_row("RICA", "fold 2"));
  EXPECT_EQ(ResultsFile(path).rows().size(), 2U);
}

TEST(Results, OtherFilesAreRefused) {
  const auto path = scratch_directory("other") / "results.jsonl";
  std::ofstream(path) << "not json\n";
  EXPECT_THROW(ResultsFile{path}, DataError);
  std::ofstream(path) << "{\"key\": \"1\"}\n";
  EXPECT_THROW(ResultsFile{path}, DataError);
}

/// The message names the file, the line and what is wrong; no value is cut short to fit.
TEST(Results, WrongValuesAreRefusedWithTheirLine) {
  const auto path = scratch_directory("wrong") / "results.jsonl";
  const std::string good = to_json(small_row("RICA", "fold 1"));
  const auto message_for = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json row = nlohmann::json::parse(good);
    row[nlohmann::json::json_pointer(key)] = value;
    std::ofstream(path) << good << "\n" << row.dump() << "\n";
    try {
      const ResultsFile results(path);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  for (const char* key : {"/labels/0", "/predictions/0"}) {
    for (const nlohmann::json& value :
         {nlohmann::json(99), nlohmann::json(-1), nlohmann::json(1e300), nlohmann::json(0.5),
          nlohmann::json("0"), nlohmann::json(std::uint64_t{1} << 63)}) {
      const std::string message = message_for(key, value);
      EXPECT_THAT(message, testing::HasSubstr("results.jsonl, line 2: ")) << value;
      EXPECT_THAT(message, testing::HasSubstr(value.dump())) << message;
    }
  }
  for (const char* key :
       {"/train_images", "/seed", "/stages/0/peak_memory_bytes", "/codes/counts/0",
        "/mistakes/0/image", "/mistakes/0/truth", "/mistakes/0/predicted"})
    EXPECT_THAT(message_for(key, -5), testing::HasSubstr("line 2")) << key;
  EXPECT_THAT(message_for("/labels", nlohmann::json::array()), testing::HasSubstr("line 2"));
  EXPECT_THAT(message_for("/options/components", "many"), testing::HasSubstr("line 2"));
}

/// Writing it again would recurse until the stack is full.
TEST(Results, DeeplyNestedRowsAreRefused) {
  const auto path = scratch_directory("deep") / "results.jsonl";
  constexpr std::size_t kLevels = 300000;
  const std::string good = to_json(small_row("RICA", "fold 1"));
  const std::size_t at = good.find("\"asked\":") + 8;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  const std::string rest = good.substr(good.find('}', at) + 1);
  std::ofstream(path) << good.substr(0, at) << deep << rest << "\n";
  try {
    const ResultsFile results(path);
    FAIL() << "they were taken";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("results.jsonl, line 1: "),
                                             testing::HasSubstr("nested too deeply")));
  }
}

/// A line without an end would be cut off.
TEST(Results, LinksAreNotFollowed) {
  const auto directory = scratch_directory("linked");
  std::ofstream(directory / "victim") << "precious";
  std::filesystem::create_symlink("victim", directory / "results.jsonl");
  EXPECT_THROW(ResultsFile{directory / "results.jsonl"}, IoError);
  EXPECT_EQ(read_file(directory / "victim"), "precious");
}

TEST(Results, FailuresCanBeForgotten) {
  const auto path = scratch_directory("failures") / "results.jsonl";
  ResultsFile results(path);
  results.append(small_row("RICA", "fold 1"));
  ResultRow failed = small_row("KSR", "fold 1");
  failed.error = "too slow";
  results.append(std::move(failed));
  results.forget_failures();
  EXPECT_EQ(results.rows().size(), 1U);
  EXPECT_EQ(ResultsFile(path).rows().size(), 1U);
}

TEST(Results, KeysTellComputationsApart) {
  const RowIdentity identity = small_row("RICA", "fold 1").identity;
  RowIdentity other = identity;
  EXPECT_EQ(other.key(), identity.key());
  other.value = 0.1;
  EXPECT_NE(other.key(), identity.key());
  other = identity;
  other.seed = 1;
  EXPECT_NE(other.key(), identity.key());
  other = identity;
  PipelineOptions options;
  options.basis.components = 7;
  other.options = to_json(options);
  EXPECT_NE(other.key(), identity.key());
  other = identity;
  other.device = "a GPU in tf32";
  EXPECT_NE(other.key(), identity.key());
}

TEST(Results, RowsRememberAGpu) {
  ResultRow row = small_row("RICA", "fold 1");
  EXPECT_EQ(to_json(row).find("device"), std::string::npos);
  row.identity.device = "a GPU in tf32";
  EXPECT_EQ(row_from_json(to_json(row), "here").identity.key(), row.identity.key());
}

}  // namespace
}  // namespace krica
