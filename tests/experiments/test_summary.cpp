// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/paper.hpp"
#include "experiments/rows.hpp"
#include "experiments/summary.hpp"

namespace krica {
namespace {

using support::scratch_directory;
using support::small_row;

TEST(Summary, ScoresAreMeansOverRowsThatDidNotFail) {
  const ResultRow a = small_row("RICA", "fold 1", 3);
  const ResultRow b = small_row("RICA", "fold 2", 1);
  ResultRow failed = small_row("RICA", "fold 3");
  failed.error = "why";
  const auto score = score_of({&a, &b, &failed}, false);
  ASSERT_TRUE(score.has_value());
  EXPECT_DOUBLE_EQ(score->mean, 50);
  EXPECT_DOUBLE_EQ(score->deviation, 50 / std::sqrt(2.0));
  EXPECT_EQ(to_text(*score), "50.00 ± 35.36");
  EXPECT_EQ(to_text(*score_of({&a}, false)), "75.00");
  EXPECT_FALSE(score_of({&failed}, false).has_value());
  // Class a: one of two, b and c: right.
  EXPECT_NEAR(score_of({&a}, true)->mean, 100 * 2.5 / 3, 1e-9);
}

TEST(Summary, TheChosenValueIsTheFirstOfTheBest) {
  const Curve curve{"kRICA", false, {{1, {80, 1, 2}}, {2, {85, 1, 2}}, {3, {85, 1, 2}}}, {}, {}};
  EXPECT_EQ(curve.chosen()->value, 2);
  EXPECT_EQ(Curve{}.chosen(), nullptr);
}

TEST(Summary, TablesHaveAllOfThePapersSystems) {
  const Context context;
  ExperimentRequest request;
  request.size = ExperimentSize::kSmoke;
  for (const char* name : {"caltech101", "cifar10", "stl10", "kernels"}) {
    PlannedExperiment planned = plan_experiment(context, experiment(name), request);
    planned.data.set.format = DataFormat::kCifar10;  // as if it were the paper's
    const ResultsFile results(scratch_directory("tables") / "results.jsonl");
    std::size_t figures = 0;
    for (const ResultTable& table : tables_of(planned, results)) {
      EXPECT_NE(table.control(), nullptr) << name;
      EXPECT_TRUE(table.beside_paper);
      EXPECT_EQ(table.title.find(" a class"), std::string::npos) << table.title;
      for (const TableLine& line : table.lines) {
        if (line.paper) ++figures;
        EXPECT_FALSE(line.ours.has_value());
        EXPECT_EQ(line.note, "not run yet");
      }
    }
    std::size_t printed = 0;
    for (const PaperFigure& figure : paper_figures())
      if (figure.experiment == name) ++printed;
    EXPECT_EQ(figures, printed) << name << ": every figure of the paper has its line";
  }
}

TEST(Summary, OtherImagesThanThePapersAreNotComparedWithIt) {
  ExperimentRequest request;
  request.size = ExperimentSize::kSmoke;  // on the built-in images
  const PlannedExperiment planned = plan_experiment(Context{}, experiment("cifar10"), request);
  const ResultsFile results(scratch_directory("embedded") / "results.jsonl");
  for (const ResultTable& table : tables_of(planned, results)) {
    EXPECT_FALSE(table.beside_paper);
    for (const TableLine& line : table.lines) {
      EXPECT_FALSE(line.paper.has_value()) << line.system;
      EXPECT_NE(line.configuration, nullptr) << line.system << ": only systems that are run";
    }
  }
}

}  // namespace
}  // namespace krica
