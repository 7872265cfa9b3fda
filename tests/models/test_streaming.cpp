// SPDX-License-Identifier: BSD-3-Clause
//
// Learning from one part of the data after another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using support::clouds;
using support::small_options;

TrainingJob job_of(const std::string& method, AdamStream<float>& stream) {
  TrainingJob job{.options = small_options(method), .classifier = false};
  job.options.basis.batch = 32;
  job.stream = &stream;
  return job;
}

std::shared_ptr<const Model> learned(const TrainingJob& job, std::uint64_t part) {
  return std::make_shared<const Model>(
      train(Context({.seed = 3}), *as_images(clouds(150, 8, 3, part)), job));
}

class Streamed : public testing::TestWithParam<std::string> {};

TEST_P(Streamed, GoesOnFromItsSavedState) {
  AdamStream<float> stream;
  TrainingJob job = job_of(GetParam(), stream);
  job.start = learned(job, 0);
  const Matrix<float> before = job.start->atom_images();
  AdamStream<float> saved(Archive::parse(stream.saved().bytes(), "stream"));
  const auto after = learned(job, 1);
  EXPECT_FALSE(after->atom_images().view() == before.view());
  EXPECT_EQ(after->parts().history.size(), 2U);
  EXPECT_EQ(after->options().kernel.gamma, job.start->options().kernel.gamma);
  job.stream = &saved;
  EXPECT_EQ(learned(job, 1)->to_archive().bytes(), after->to_archive().bytes());
}

INSTANTIATE_TEST_SUITE_P(Models, Streamed,
                         testing::Values("krica", "rica", "ksr", "sparse-filtering", "d-krica"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Streaming, GoesOutFromAFittedModel) {
  AdamStream<float> stream;
  TrainingJob job = job_of("rica", stream);
  job.stream = nullptr;
  job.start = learned(job, 0);
  job.stream = &stream;
  job.options.basis.rate = 1e-6;
  const Matrix<float> atoms = learned(job, 0)->atom_images();
  EXPECT_LT((atoms.view() - job.start->atom_images().view()).cwiseAbs().maxCoeff(), 1e-3F);
}

TEST(Streaming, OnlyWhereThereIsASolver) {
  AdamStream<float> stream;
  const TrainingJob job = job_of("kmeans-triangle", stream);
  EXPECT_THROW(learned(job, 0), InvalidArgument);
}

TEST(Streaming, RefusesADamagedState) {
  AdamStream<float> stream;
  learned(job_of("rica", stream), 0);
  Archive state = stream.saved();
  state.put("first_moment", Matrix<float>(2, 2));
  EXPECT_THROW(AdamStream<float>{state}, DataError);
}

}  // namespace
}  // namespace krica
