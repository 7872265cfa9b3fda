// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "models/trouble.hpp"
#include "support/images.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using support::gratings;
using support::scratch_file;
using support::small_options;
using ::testing::HasSubstr;

std::string bytes_of(const Model& model) { return model.to_archive().bytes(); }

TEST(Training, SameBytesForAnyThreads) {
  const auto images = gratings(90);
  for (const BasisMethod& method : basis_methods()) {
    PipelineOptions options = small_options(std::string(method.name));
    options.basis.epochs = 2;
    const std::string one = bytes_of(train(Context({.threads = 1, .seed = 3}), images, {options}));
    const std::string four = bytes_of(train(Context({.threads = 4, .seed = 3}), images, {options}));
    EXPECT_TRUE(one == four) << method.name;
  }
}

/// Trains, cancels at the n-th progress report, whichever stage it comes from, and goes on.
void expect_same_bytes_after_cancelling(const std::string& method, int at) {
  const auto images = gratings(90);
  PipelineOptions options = small_options(method);
  options.basis.epochs = 2;
  int whole = 0;
  const Context uncancelled({.seed = 3, .progress = [&](const Progress&) { ++whole; }});
  const std::string wanted = bytes_of(train(uncancelled, images, {options}));
  const auto checkpoint = scratch_file("training-" + method + std::to_string(at));
  remove_checkpoint(checkpoint);
  const TrainingJob job{options, checkpoint};
  std::function<void()> stop;
  int reports = 0;
  const Context context({.seed = 3, .progress = [&](const Progress&) {
                           if (++reports == at) stop();
                         }});
  stop = [&] { context.cancel(); };
  try {
    EXPECT_TRUE(bytes_of(train(context, images, job)) == wanted);
    EXPECT_GE(at, whole) << method << " was not cancelled";
  } catch (const Cancelled&) {
    EXPECT_LE(at, whole);
    const bool kept = std::filesystem::exists(checkpoint);
    TrainingReport report;
    EXPECT_TRUE(bytes_of(train(Context({.seed = 3}), images, job, &report)) == wanted)
        << method << " at " << at;
    EXPECT_EQ(report.resumed, kept);
  }
  EXPECT_TRUE(std::filesystem::exists(checkpoint)) << "it stays until the model is saved";
  remove_checkpoint(checkpoint);
  EXPECT_FALSE(std::filesystem::exists(checkpoint));
  EXPECT_FALSE(std::filesystem::exists(checkpoint.string() + ".features"));
}

class CancelledAt : public testing::TestWithParam<int> {};

TEST_P(CancelledAt, ResumesToTheSameBytes) {
  expect_same_bytes_after_cancelling("krica", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Training, CancelledAt,
                         testing::Values(1, 2, 5, 8, 9, 10, 12, 15, 20, 30, 60, 120, 100000));

TEST(Training, EveryMethodResumesToTheSameBytes) {
  for (const BasisMethod& method : basis_methods()) {
    if (method.learn == nullptr && !method.network) continue;  // it has nothing to keep
    for (const int at : {2, 6, 15})
      expect_same_bytes_after_cancelling(std::string(method.name), at);
  }
}

/// As after a power cut, or where only one of the two files was copied.
TEST(Training, FeaturesWhoseFileIsLostAreComputedAgain) {
  const auto images = gratings(60);
  const TrainingJob job{small_options(), scratch_file("training-lost")};
  remove_checkpoint(job.checkpoint);
  const std::string wanted = bytes_of(train(Context({.seed = 3}), images, job));
  const std::filesystem::path features = job.checkpoint.string() + ".features";
  ASSERT_TRUE(std::filesystem::remove(features));
  EXPECT_TRUE(bytes_of(train(Context({.seed = 3}), images, job)) == wanted);
  std::filesystem::resize_file(features, 8);
  EXPECT_TRUE(bytes_of(train(Context({.seed = 3}), images, job)) == wanted);
  remove_checkpoint(job.checkpoint);
}

TEST(Training, RefusesACheckpointOfAnotherJob) {
  const auto images = gratings(90);
  const auto checkpoint = scratch_file("training-other");
  std::filesystem::remove(checkpoint);
  std::function<void()> stop;
  const Context context({.seed = 3, .progress = [&](const Progress& p) {
                           if (p.stage == "lbfgs" && p.step == 3) stop();
                         }});
  stop = [&] { context.cancel(); };
  EXPECT_THROW(train(context, images, {small_options(), checkpoint}), Cancelled);
  ASSERT_TRUE(std::filesystem::exists(checkpoint));
  PipelineOptions other = small_options();
  other.basis.sparsity = 0.5;
  try {
    train(Context({.seed = 3}), images, {other, checkpoint});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("sparsity"), std::string::npos) << error.what();
  }
  EXPECT_THROW(train(Context({.seed = 3}), gratings(60), {small_options(), checkpoint}), DataError)
      << "other data";
  std::filesystem::remove(checkpoint);
}

/// The refusal of a checkpoint in which one text was changed.
std::string refusal_with(const std::string& key, const std::string& text) {
  const auto images = gratings(90);
  const auto checkpoint = scratch_file("training-version");
  remove_checkpoint(checkpoint);
  train(Context({.seed = 3}), images, {small_options(), checkpoint});
  Archive archive = Archive::load(checkpoint);
  archive.put_text(key, text);
  archive.save(checkpoint);
  std::string refusal;
  try {
    train(Context({.seed = 3}), images, {small_options(), checkpoint});
  } catch (const InvalidArgument& error) {
    refusal = error.what();
  }
  remove_checkpoint(checkpoint);
  return refusal;
}

TEST(Training, RefusesACheckpointOfAnotherVersion) {
  EXPECT_THAT(refusal_with("version", "0.0.1"), HasSubstr("krica 0.0.1"));
  EXPECT_THAT(refusal_with("layout", "1"), HasSubstr("layout 1"));
}

/// The refusal of a checkpoint in which `tensor`, of the stage `basis` or of the whole, is
/// `values`.
template <class Scalar>
std::string refusal_with_values(const std::string& tensor, const std::vector<Scalar>& values,
                                bool of_basis) {
  const auto images = gratings(90);
  const auto checkpoint = scratch_file("training-senseless");
  remove_checkpoint(checkpoint);
  train(Context({.seed = 3}), images, {small_options(), checkpoint});
  Archive whole = Archive::load(checkpoint);
  if (of_basis) {
    const auto bytes = whole.vector<std::uint8_t>("basis");
    Archive basis =
        Archive::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "basis");
    basis.put_vector<Scalar>(tensor, values);
    const std::string changed = basis.bytes();
    whole.put_vector<std::uint8_t>(
        "basis", {reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size()});
  } else {
    whole.put_vector<Scalar>(tensor, values);
  }
  whole.save(checkpoint);
  std::string refusal = "accepted";
  try {
    train(Context({.seed = 3}), images, {small_options(), checkpoint});
  } catch (const DataError& error) {
    refusal = error.what();
  } catch (const InvalidArgument& error) {
    refusal = std::string("a bad call: ") + error.what();
  }
  remove_checkpoint(checkpoint);
  return refusal;
}

TEST(Training, ACheckpointWithASenselessValueIsBadDataThatIsNamed) {
  for (const std::vector<std::int64_t>& values :
       {std::vector<std::int64_t>{}, {-1}, {1000000000}}) {
    EXPECT_THAT(refusal_with_values<std::int64_t>("features_done", values, false),
                HasSubstr("features_done"));
    EXPECT_THAT(refusal_with_values<std::int64_t>("whitening.inputs", values, true),
                HasSubstr("whitening"));
  }
  EXPECT_THAT(refusal_with_values<double>("preprocessing", {}, true), HasSubstr("preprocessing"));
}

TEST(Training, ReportsAUselessBasisWithAdviceThatFitsTheMethod) {
  PipelineOptions options = small_options();
  options.kernel.gamma = 1e4;
  TrainingReport report;
  const Model model = train(Context({.seed = 3}), gratings(90), {options}, &report);
  EXPECT_EQ(model.parts().basis_status, "diverged");
  EXPECT_NE(report.warning.find("basis diverged: more than half"), std::string::npos)
      << report.warning;
  train(Context({.seed = 3}), gratings(90), {small_options()}, &report);
  EXPECT_EQ(report.warning, "");
  options = small_options("rica");
  options.basis.sparsity = 1e300;
  options.basis.init = "random-patches";
  EXPECT_EQ(train(Context({.seed = 3}), gratings(90), {options}, &report).parts().basis_status,
            "numerical-trouble");
  EXPECT_NE(report.warning.find("infinite or NaN"), std::string::npos) << report.warning;
  EXPECT_EQ(report.warning.find("gamma"), std::string::npos) << report.warning;
}

TEST(Training, ReportsSamplesThatDidNotConverge) {
  PipelineOptions options = small_options("rica");
  options.basis.components = 8;
  options.basis.iterations = 2;
  TrainingReport report;
  const ImageSetPtr samples = as_images(support::clouds(200));
  train(Context(), *samples, {.options = options, .classifier = false}, &report);
  EXPECT_NE(report.warning.find("not converged after 2 iterations; raise iterations"),
            std::string::npos)
      << report.warning;
  options.basis.components = 16;
  options.basis.solver = SolverKind::kAdam;
  options.basis.epochs = 2;
  train(Context(), *samples, {.options = options, .classifier = false}, &report);
  EXPECT_NE(report.warning.find("raise epochs"), std::string::npos) << report.warning;
}

/// The limit of K-means is no option, so there is nothing to raise.
TEST(Training, DoesNotAdviseToRaiseTheIterationsOfKmeans) {
  const std::vector<HistoryRow> history = {{.iteration = 49, .evaluations = 49, .value = 2},
                                           {.iteration = 50, .evaluations = 50, .value = 1.999}};
  PipelineOptions options;
  options.descriptor.receptive_field = 1;
  options.basis.iterations = 50;
  for (const char* method : {"kmeans-triangle", "kmeans-hard", "llc", "improved-lcc"}) {
    options.method = method;
    EXPECT_EQ(trouble_with(options, "iteration-limit", history), "") << method;
  }
  options.method = "omp-1";
  EXPECT_NE(trouble_with(options, "iteration-limit", history).find("raise iterations"),
            std::string::npos);
}

TEST(Training, KernelPcaInFront) {
  const auto images = gratings(60);
  PipelineOptions options = small_options("random-patches");
  options.whitening.method = WhiteningMethod::kKernelPca;
  options.whitening.landmarks = 30;
  options.whitening.components = 10;
  const Model model = train(Context(), images, {options});
  EXPECT_EQ(model.parts().extractor->preprocessing().outputs(), 10);
  EXPECT_TRUE(model.options().whitening.gamma.has_value());
  EXPECT_THROW(static_cast<void>(model.atom_images()), InvalidArgument);
}

TEST(Training, RefusesWhatDoesNotFit) {
  const auto images = gratings(30);
  PipelineOptions large = small_options();
  large.descriptor.receptive_field = 13;
  EXPECT_THROW(train(Context(), images, {large}), InvalidArgument);
  PipelineOptions fine = small_options();
  fine.pooling.levels = PoolLevels{{{10, 10}}};
  EXPECT_THROW(train(Context(), images, {fine}), InvalidArgument);
  const support::MemoryImages constant({12, 12, 1}, std::vector<std::uint8_t>(12 * 12 * 6, 7),
                                       {0, 1, 0, 1, 0, 1}, 2);
  EXPECT_THROW(train(Context(), constant, {small_options()}), InvalidArgument);
  const support::MemoryImages unlabelled({12, 12, 1}, std::vector<std::uint8_t>(12 * 12 * 6, 7), {},
                                         0);
  EXPECT_THROW(train(Context(), unlabelled, {small_options()}), InvalidArgument);
}

}  // namespace
}  // namespace krica
