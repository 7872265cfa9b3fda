// SPDX-License-Identifier: BSD-3-Clause
//
// What every method under src/bases must do: learn, repeat its bits, resume, refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "bases/start.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

std::vector<std::string> learning_methods() {
  std::vector<std::string> names;
  for (const BasisMethod& method : basis_methods()) {
    if (method.learn != nullptr) names.emplace_back(method.name);
  }
  return names;
}

/// More atoms than values in a patch, except where there cannot be.
Index components_of(const std::string& method) {
  return method == "ica" || method == "kica" ? 6 : 24;
}

/// Those that the method takes; those without a solver do not mind.
std::vector<SolverKind> solvers_of(const std::string& method) {
  if (method == "sparse-rbm") return {SolverKind::kAdam};
  return {SolverKind::kLbfgs, SolverKind::kAdam};
}

/// Those that are done at once.
bool leaves_no_states(const std::string& method) { return method == "random-patches"; }

std::vector<int> three_classes() {
  std::vector<int> labels;
  for (int i = 0; i < 400; ++i) labels.push_back(i * i % 7 % 3);
  return labels;
}

Matrix<float> unit_patches() {
  Matrix<float> patches = support::random_matrix<float>(400, 8, 3);
  patches.view().rowwise().normalize();
  return patches;
}

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  BasisRequest request(std::optional<SolverKind> solver = {}) {
    const BasisMethod& method = basis_method(GetParam());
    BasisRequest request{patches_, labels_, {}, {}, nullptr};
    request.options.components = components_of(GetParam());
    request.options.sparsity = method.sparsity;
    request.options.kernel.gamma = 3;
    request.options.init = std::string(method.init);
    request.options.solver = solver;
    request.options.iterations = 15;
    request.options.epochs = 2;
    request.options.batch = 64;
    return request;
  }
  Basis learn(const Context& context, const BasisRequest& wanted) {
    return basis_method(GetParam()).learn(context, wanted);
  }
  Matrix<float> patches_ = unit_patches();
  std::vector<int> labels_ = three_classes();
};

TEST_P(EveryMethod, LearnsFiniteDifferentAtoms) {
  const Basis basis = learn(Context(), request());
  const Index K = components_of(GetParam());
  ASSERT_EQ(basis.atoms.rows(), K);
  ASSERT_EQ(basis.atoms.cols(), 8);
  EXPECT_TRUE(basis.atoms.view().allFinite());
  for (Index u = 1; u < K; ++u)
    EXPECT_GT((basis.atoms.view().row(u) - basis.atoms.view().row(0)).norm(), 1e-3F);
  EXPECT_NE(basis.status, Status::kDiverged);
  EXPECT_NE(basis.status, Status::kCollapsed);
  const BasisMethod& method = basis_method(GetParam());
  EXPECT_EQ(basis.bias.size(), method.encoder == "sigmoid" ? static_cast<std::size_t>(K) : 0);
  EXPECT_EQ(basis.atom_class.size(), method.needs_labels ? static_cast<std::size_t>(K) : 0);
}

TEST_P(EveryMethod, SameBitsForAnyThreadsOtherBitsForAnotherSeed) {
  for (const SolverKind solver : solvers_of(GetParam())) {
    const Basis one = learn(Context({.threads = 1, .seed = 5}), request(solver));
    const Basis four = learn(Context({.threads = 4, .seed = 5}), request(solver));
    const Basis other = learn(Context({.threads = 1, .seed = 6}), request(solver));
    EXPECT_TRUE(one.atoms.view() == four.atoms.view()) << name_of(solver);
    EXPECT_EQ(one.bias, four.bias) << name_of(solver);
    EXPECT_FALSE(one.atoms.view() == other.atoms.view()) << name_of(solver);
  }
}

TEST_P(EveryMethod, ResumesFromItsCheckpoints) {
  for (const SolverKind solver : solvers_of(GetParam())) {
    BasisRequest whole = request(solver);
    std::vector<Archive> states;
    whole.hooks.checkpoint_due = [] { return true; };
    whole.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
    const Basis wanted = learn(Context(), whole);
    EXPECT_EQ(states.empty(), leaves_no_states(GetParam())) << name_of(solver);
    if (states.empty()) continue;
    BasisRequest again = request(solver);
    again.state = &states[states.size() / 2];
    EXPECT_TRUE(learn(Context(), again).atoms.view() == wanted.atoms.view()) << name_of(solver);
  }
}

TEST(FixedPointSolver, IsRefusedToObjectivesWithoutThatForm) {
  const Matrix<float> patches = unit_patches();
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 24;
  request.options.solver = SolverKind::kFixedPoint;
  for (const char* method : {"rica", "ksr", "sparse-filtering"}) {
    const std::string refused =
        support::refusal([&] { basis_method(method).learn(Context(), request); });
    EXPECT_NE(refused.find("no fixed-point form"), std::string::npos) << method << ": " << refused;
  }
  EXPECT_EQ(basis_method("krica").learn(Context(), request).atoms.rows(), 24);
}

TEST_P(EveryMethod, RefusesMoreAtomsThanPatchesOrNone) {
  BasisRequest none = request();
  none.options.components = 0;
  EXPECT_THROW(learn(Context(), none), InvalidArgument);
  Matrix<float> holed = patches_;
  holed(3, 3) = NAN;
  EXPECT_THROW(learn(Context(), {holed, labels_, request().options, {}, nullptr}), InvalidArgument);
  BasisRequest many = request();
  many.options.components = 401;
  const std::string_view init = basis_method(GetParam()).init;
  if (init != "random" && init != "omp-1") {
    EXPECT_THROW(learn(Context(), many), InvalidArgument);
  }
}

TEST_P(EveryMethod, LearnsFromFewPatchesByAdamWithoutBeingToldABatch) {
  BasisRequest few = request(SolverKind::kAdam);
  few.options.batch.reset();
  EXPECT_TRUE(learn(Context(), few).atoms.view().allFinite());
}

TEST(Bases, SayWhatToDoAboutMoreAtomsThanPatches) {
  const Matrix<float> patches = unit_patches();
  BasisRequest many{patches, {}, {}, {}, nullptr};
  many.options.components = 401;
  for (const char* method : {"krica", "random-patches", "kmeans-triangle"}) {
    many.options.init = std::string(basis_method(method).init);
    try {
      basis_method(method).learn(Context(), many);
      ADD_FAILURE() << method << " took them";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("use fewer components or more patches"));
    }
  }
}

TEST(Bases, PatchesThatAreNotFiniteOnOneRankAreRefusedByAll) {
  std::atomic<int> refused = 0;
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    Matrix<float> patches = support::random_matrix<float>(3000, 8, 3);
    if (context.ranks()->rank() == 2) patches(2999, 5) = std::numeric_limits<float>::quiet_NaN();
    BasisRequest request{patches, {}, {}, {}, nullptr};
    request.options.components = 12;
    request.options.init = "random-patches";
    const std::string what = support::refusal([&] { starting_atoms(context, request); });
    EXPECT_THAT(what, testing::HasSubstr("2999"));
    if (!what.empty()) ++refused;
  });
  EXPECT_EQ(refused, 3);
}

TEST_P(EveryMethod, StopsOnRequestAndGoesOn) {
  int reports = 0;
  const Basis wanted = learn(Context({.progress = [&](const Progress&) { ++reports; }}), request());
  if (leaves_no_states(GetParam())) {
    EXPECT_EQ(reports, 0) << "it can be stopped: then it must be tested";
    return;
  }
  ASSERT_GE(reports, 2);
  BasisRequest stopped = request();
  std::vector<Archive> states;
  stopped.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  std::function<void()> stop;
  int left = std::min(3, reports - 1);
  const Context stopping({.progress = [&](const Progress&) {
    if (--left == 0) stop();
  }});
  stop = [&] { stopping.cancel(); };
  EXPECT_THROW(learn(stopping, stopped), Cancelled);
  BasisRequest again = request();
  if (!states.empty()) again.state = &states.back();
  EXPECT_TRUE(learn(Context(), again).atoms.view() == wanted.atoms.view());
}

TEST_P(EveryMethod, SaysWhatItIsAndWhatToTune) {
  const BasisMethod& method = basis_method(GetParam());
  EXPECT_GT(method.summary.size(), 20U);
  EXPECT_LT(method.summary.size(), 95U) << "one line";
  EXPECT_NE(method.grid.find('='), std::string_view::npos);
}

INSTANTIATE_TEST_SUITE_P(Bases, EveryMethod, testing::ValuesIn(learning_methods()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Bases, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    basis_method("krika");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("random-patches"), std::string::npos);
  }
  const Matrix<float> patches = unit_patches();
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 4;
  request.options.init = "nowhere";
  EXPECT_THROW(basis_method("krica").learn(Context(), request), InvalidArgument);
}

/// Half of the patches are blank.
Matrix<float> half_blank_patches() {
  Matrix<float> patches = unit_patches();
  for (Index i = 0; i < patches.rows(); i += 2) patches.view().row(i).setZero();
  return patches;
}

TEST(Bases, AtomsDoNotStartFromBlankPatches) {
  const Matrix<float> patches = half_blank_patches();
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 200;
  const Basis basis = basis_method("random-patches").learn(Context(), request);
  for (Index u = 0; u < 200; ++u)
    EXPECT_TRUE(basis.atoms.view().row(u) == patches.view().row(2 * u + 1)) << u;
  request.options.components = 201;
  const std::string refusal =
      support::refusal([&] { basis_method("random-patches").learn(Context(), request); });
  EXPECT_THAT(refusal, testing::HasSubstr("only 200 are not zero"));
}

TEST_P(EveryMethod, LearnsFiniteAtomsWhereHalfOfThePatchesAreBlank) {
  patches_ = half_blank_patches();
  for (const char* init : {"random-patches", "class-kmeans"}) {
    if (GetParam() == "omp-1" && std::string(init) == "class-kmeans") continue;  // it says so
    BasisRequest blank = request();
    blank.options.init = init;
    const Basis basis = learn(Context(), blank);
    EXPECT_TRUE(basis.atoms.view().allFinite()) << init;
    EXPECT_NE(basis.status, Status::kNumericalTrouble) << init;
  }
}

TEST(Bases, RandomPatchesAreNoNearDuplicates) {
  Matrix<float> patches = unit_patches();  // 400, of which 300 become nearly the same
  for (Index i = 0; i < 300; ++i) {
    patches.view().row(i).setZero();
    patches(i, 0) = 1 + 1e-3F * static_cast<float>(i % 7);
  }
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 60;
  const Basis basis = basis_method("random-patches").learn(Context(), request);
  for (Index u = 0; u < 60; ++u) {
    for (Index v = 0; v < u; ++v) {
      const auto apart = basis.atoms.view().row(u) - basis.atoms.view().row(v);
      EXPECT_GT(apart.squaredNorm(), 5e-3F) << u << " and " << v;
    }
  }
  request.options.components = 200;  // more than there are different ones: the others fill up
  EXPECT_EQ(basis_method("random-patches").learn(Context(), request).atoms.rows(), 200);
}

TEST(Bases, RandomPatchesAreDifferentPatches) {
  const Matrix<float> patches = unit_patches();
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 400;
  const Basis basis = basis_method("random-patches").learn(Context(), request);
  EXPECT_TRUE(basis.atoms.view() == patches.view()) << "all of them, in their order";
}

}  // namespace
}  // namespace krica
