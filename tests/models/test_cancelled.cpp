// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that are cancelled and are to give the best so far.
#include <gtest/gtest.h>

#include <optional>

#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using support::clouds;
using support::scratch_file;
using support::small_options;

/// A context that is cancelled at the first report from `step` of a stage on.
class CancelledAt {
 public:
  CancelledAt(std::string stage, Index step) {
    context_.emplace(ContextOptions{.progress = [this, stage, step](const Progress& progress) {
      if (progress.stage == stage && progress.step >= step) context_->cancel();
    }});
  }
  [[nodiscard]] const Context& context() const { return *context_; }

 private:
  std::optional<Context> context_;
};

TrainingJob job_of(const std::string& method, bool classifier) {
  TrainingJob job{.options = small_options(method), .classifier = classifier};
  job.options.basis.iterations = 1000000;
  job.best_when_cancelled = true;
  return job;
}

TEST(CancelledJob, GivesTheBestAtoms) {
  for (const auto& [method, stage] : {std::pair{"krica", "lbfgs"}, std::pair{"rica", "lbfgs"}}) {
    const CancelledAt third(stage, 3);
    const Model model = train(third.context(), *as_images(clouds(150)), job_of(method, false));
    EXPECT_EQ(model.parts().basis_status, "cancelled");
    EXPECT_EQ(model.parts().history.back().iteration, 3);
    EXPECT_EQ(model.transform(Context(), *as_images(clouds(20))).cols(), 16);
  }
}

TEST(CancelledJob, LeavesACheckpointThatGoesOn) {
  const std::filesystem::path path = scratch_file("cancelled-checkpoint");
  std::filesystem::remove(path);
  TrainingJob job = job_of("krica", false);
  job.options.basis.iterations = 6;
  const Model whole = train(Context(), *as_images(clouds(150)), job);
  job.checkpoint = path;
  const CancelledAt second("lbfgs", 2);
  EXPECT_EQ(train(second.context(), *as_images(clouds(150)), job).parts().basis_status,
            "cancelled");
  TrainingReport report;
  const Model resumed = train(Context(), *as_images(clouds(150)), job, &report);
  EXPECT_TRUE(report.resumed);
  EXPECT_EQ(resumed.to_archive().bytes(), whole.to_archive().bytes());
  remove_checkpoint(path);
}

TEST(CancelledJob, HasNoClassifierUnlessItWasLearned) {
  const CancelledAt features("features", 1);
  const Model model =
      train(features.context(), *as_images(clouds(150)), job_of("random-patches", true));
  EXPECT_FALSE(model.has_classifier());
  EXPECT_TRUE(model.class_names().empty());
}

TEST(CancelledJob, ThrowsWhereThereAreNoAtoms) {
  const Context context;
  context.cancel();
  EXPECT_THROW(train(context, *as_images(clouds(150)), job_of("krica", false)), Cancelled);
  TrainingJob plain = job_of("krica", false);
  plain.best_when_cancelled = false;
  const CancelledAt third("lbfgs", 3);
  EXPECT_THROW(train(third.context(), *as_images(clouds(150)), plain), Cancelled);
}

}  // namespace
}  // namespace krica
