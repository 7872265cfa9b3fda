// SPDX-License-Identifier: BSD-3-Clause
//
// Model files from elsewhere: whatever they ask for, they are refused with the file's name, and
// before memory is taken for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "krica/models/model.hpp"
#include "krica/runtime/error.hpp"
#include "models/flat_object.hpp"
#include "models/model_limits.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::small_options;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Archive& sound_archive() {
  static const Archive archive =
      train(Context(), gratings(60), {small_options("random-patches")}).to_archive();
  return archive;
}

/// What is said of the sound model after the change.
std::string refusal(const Archive& sound, const std::function<void(Archive&)>& change) {
  Archive archive = sound;
  change(archive);
  try {
    Model::from_archive(archive, "file.krica");
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

/// The options with one of them changed.
void put_option(Archive& archive, const std::string& name, const nlohmann::json& value) {
  nlohmann::json options = flat_object(archive.text("options"), "test");
  options[name] = value;
  archive.put_text("options", options.dump());
}

void put_shape(Archive& archive, std::vector<std::int64_t> shape) {
  archive.put_vector<std::int64_t>("image_shape", shape);
}

TEST(DamagedModels, EveryTensorOfNumbersMustBeFinite) {
  const Archive pca = train(Context(), gratings(60), {small_options("kpca-rica")}).to_archive();
  for (const Archive* sound : {&sound_archive(), &pca}) {
    for (const std::string name :
         {"atoms", "whitening.transform", "whitening.inverse", "svm.weights",
          "kernel_pca.landmarks", "kernel_pca.projection"}) {
      if (!sound->has(name)) continue;
      EXPECT_THAT(refusal(*sound,
                          [&](Archive& archive) {
                            Matrix<float> values = archive.matrix<float>(name);
                            values(0, 1) = std::numeric_limits<float>::quiet_NaN();
                            archive.put(name, values);
                          }),
                  AllOf(HasSubstr("file.krica"), HasSubstr(name)));
    }
    for (const std::string name : {"whitening.offset", "whitening.mean", "standardiser.mean",
                                   "standardiser.inverse_deviation", "kernel_pca.offset"}) {
      if (!sound->has(name)) continue;
      EXPECT_THAT(refusal(*sound,
                          [&](Archive& archive) {
                            auto values = archive.vector<float>(name);
                            values.back() = std::numeric_limits<float>::infinity();
                            archive.put_vector<float>(name, values);
                          }),
                  AllOf(HasSubstr("file.krica"), HasSubstr(name)));
    }
    for (const std::string name : {"preprocessing", "kernel_pca.eigenvalues", "temperature"}) {
      if (!sound->has(name)) continue;
      EXPECT_THAT(refusal(*sound,
                          [&](Archive& archive) {
                            auto values = archive.vector<double>(name);
                            values.front() = std::numeric_limits<double>::quiet_NaN();
                            archive.put_vector<double>(name, values);
                          }),
                  AllOf(HasSubstr("file.krica"), HasSubstr(name)));
    }
  }
}

TEST(DamagedModels, ImagesBeyondAllBoundsAreRefused) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::vector<std::int64_t>> shapes = {
      {kMost, kMost, kMost}, {1 << 20, 1 << 20, 1}, {1, 1, kMost}, {-12, -12, 1}, {0, 12, 1}};
  for (const auto& shape : shapes) {
    EXPECT_THAT(refusal(sound_archive(), [&](Archive& archive) { put_shape(archive, shape); }),
                HasSubstr("file.krica"));
  }
}

TEST(DamagedModels, PoolingGridsBeyondAllBoundsAreRefused) {
  const auto with_grid = [](const std::string& grid) {
    return refusal(sound_archive(), [&](Archive& archive) {
      put_shape(archive, {8000, 8000, 1});
      put_option(archive, "pool", grid);
      archive.remove("svm.weights");
    });
  };
  EXPECT_THAT(with_grid("7000x7000"), HasSubstr("cells"));
  EXPECT_THAT(with_grid("9223372036854775807x9223372036854775807"), HasSubstr("file.krica"));
}

/// The sound model for images of a size that takes gigabytes, and one such image: 64 MiB of bytes.
TEST(DamagedModels, AModelOfHugeImagesIsUsedWithinTheBudgetOrNotAtAll) {
  Archive archive = sound_archive();
  constexpr Index kSide = 8192;
  put_shape(archive, {kSide, kSide, 1});
  const Model model = Model::from_archive(archive, "file.krica");
  const support::MemoryImages images({kSide, kSide, 1}, std::vector<std::uint8_t>(kSide * kSide, 9),
                                     {0}, 2);
  const auto use = [&](Index mebibytes) {
    try {
      static_cast<void>(
          model.scores(Context({.threads = 2, .memory_bytes = mebibytes << 20}), images));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(use(64), AllOf(HasSubstr("images of 8192 x 8192 x 1"), HasSubstr("at least 752M")));
  EXPECT_THAT(use(751), HasSubstr("at least 752M"));
}

TEST(DamagedModels, ALassoOfManyAtomsIsRefusedBeforeItsGramMatrixIsMade) {
  EXPECT_THAT(refusal(sound_archive(),
                      [](Archive& archive) {
                        put_option(archive, "encoder", "lasso");
                        archive.put("atoms", Matrix<float>(kMostLassoAtoms + 1, 16));
                      }),
              HasSubstr("lasso"));
}

TEST(DamagedModels, PartsThatDoNotFitAreRefusedOnLoading) {
  const auto refused = [](const std::function<void(Archive&)>& change) {
    return refusal(sound_archive(), change);
  };
  EXPECT_THAT(refused([](Archive& archive) {
                archive.put_vector<float>("standardiser.mean", std::vector<float>(3));
                archive.put_vector<float>("standardiser.inverse_deviation", std::vector<float>(3));
              }),
              HasSubstr("classifier"));
  EXPECT_THAT(refused([](Archive& archive) {
                archive.put_vector<double>("preprocessing", std::vector<double>{-1, 10, 0});
              }),
              HasSubstr("pixel scale"));
  EXPECT_THAT(refused([](Archive& archive) {
                archive.put_vector<double>("units.centre", std::vector<double>{1, 2});
                archive.put_scalar<double>("units.scale", 1);
              }),
              HasSubstr("units.centre"));
  EXPECT_THAT(refused([](Archive& archive) { archive.put_scalar<double>("temperature", 1e-300); }),
              HasSubstr("temperature"));
  EXPECT_THAT(refused([](Archive& archive) {
                archive.put_text("whitening", "none");
                archive.put_scalar<std::int64_t>("whitening.inputs", -16);
              }),
              HasSubstr("whitening"));
}

/// The classes of atoms are counted up to the largest.
TEST(DamagedModels, ClassesOfAtomsAreBoundedWithoutClassNames) {
  EXPECT_THAT(refusal(sound_archive(),
                      [](Archive& archive) {
                        archive.remove("svm.weights");
                        archive.put_text("class_names", "[]");
                        archive.put_vector<std::int64_t>("atom_class",
                                                         std::vector<std::int64_t>(16, 1LL << 40));
                      }),
              HasSubstr("atom_class"));
}

TEST(DamagedModels, AKernelPcaOfAnotherKindIsRefused) {
  const Archive sound = train(Context(), gratings(60), {small_options("kpca-rica")}).to_archive();
  for (const double degree : {1e300, -3.0}) {
    EXPECT_THAT(refusal(sound,
                        [&](Archive& archive) {
                          archive.put_text("kernel_pca.kernel", "polynomial");
                          archive.put_vector<double>("kernel_pca.parameters",
                                                     std::vector<double>{1, degree, 1});
                        }),
                HasSubstr("degree"));
  }
  EXPECT_THAT(refusal(sound,
                      [](Archive& archive) {
                        const Matrix<float> old = archive.matrix<float>("kernel_pca.landmarks");
                        archive.put("kernel_pca.landmarks", Matrix<float>(old.rows(), 3));
                      }),
              HasSubstr("kernel PCA"));
}

TEST(DamagedModels, OptionsThatAreNoOptionsAreBadData) {
  const std::string deep =
      "{\"gamma\":" + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}";
  for (const std::string& text : {std::string("{\"gamma\": "), std::string("3"), deep}) {
    EXPECT_THAT(refusal(sound_archive(), [&](Archive& a) { a.put_text("options", text); }),
                AllOf(HasSubstr("file.krica"), HasSubstr("options")));
    Archive checkpoint;
    const auto path = support::scratch_file("damaged-options.checkpoint");
    const TrainingJob job{small_options("random-patches"), path};
    train(Context(), gratings(60), job);
    checkpoint = Archive::load(path);
    checkpoint.put_text("options", text);
    checkpoint.save(path);
    EXPECT_THROW(train(Context(), gratings(60), job), DataError);
    remove_checkpoint(path);
  }
}

/// What training writes can be read again.
TEST(DamagedModels, TrainingKeepsToTheLimits) {
  PipelineOptions options = small_options("random-patches");
  EXPECT_NO_THROW(check_model_size({8192, 8192, 3}, options, 16));
  EXPECT_THROW(check_model_size({8192, 8193, 3}, options, 16), InvalidArgument);
  EXPECT_THROW(check_model_size({4097, 4097, 1}, options, 0), InvalidArgument);
  options.pooling.levels = PoolLevels{{{1024, 1024}}};
  EXPECT_THROW(train(Context(), gratings(60), {options}), InvalidArgument);
}

/// Naming the value in the message would recurse until the stack is full.
TEST(DamagedModels, DeeplyNestedTextsAreRefused) {
  constexpr std::size_t kLevels = 300000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  EXPECT_THAT(refusal(sound_archive(),
                      [&](Archive& archive) {
                        archive.put_text(
                            "preparation",
                            R"({"image-size-rule": "within", "exif-orientation": true,)"
                            R"( "image-size": )" +
                                deep + "}");
                      }),
              AllOf(HasSubstr("file.krica"), HasSubstr("nested too deeply")));
}

}  // namespace
}  // namespace krica
