// SPDX-License-Identifier: BSD-3-Clause
//
// The same problem as LIBLINEAR's solver 2 (primal L2-regularised L2-loss SVM, bias 1) must have
// the same solution.
#include <gtest/gtest.h>
#include <linear.h>

#include "classify/problems.hpp"
#include "krica/classify/linear_classifier.hpp"

namespace krica {
namespace {

void silent(const char* /*text*/) {}

/// LIBLINEAR's weights as ours: classes × (F + 1), the bias last.
Matrix<float> liblinear_weights(const support::Classes& data, int classes, double C) {
  const Index m = data.features.rows();
  const Index F = data.features.cols();
  std::vector<feature_node> nodes;
  nodes.reserve(static_cast<std::size_t>(m * (F + 2)));
  std::vector<feature_node*> rows;
  std::vector<double> labels;
  for (Index i = 0; i < m; ++i) {
    rows.push_back(nodes.data() + nodes.size());
    for (Index j = 0; j < F; ++j)
      nodes.push_back({static_cast<int>(j + 1), static_cast<double>(data.features(i, j))});
    nodes.push_back({static_cast<int>(F + 1), 1.0});
    nodes.push_back({-1, 0.0});
    labels.push_back(data.labels[static_cast<std::size_t>(i)]);
  }
  problem task{};
  task.l = static_cast<int>(m);
  task.n = static_cast<int>(F + 1);
  task.y = labels.data();
  task.x = rows.data();
  task.bias = 1;
  parameter options{};
  options.solver_type = L2R_L2LOSS_SVC;
  options.eps = 1e-6;
  options.C = C;
  set_print_string_function(silent);
  model* trained = train(&task, &options);
  Matrix<float> weights(classes, F + 1);
  for (int c = 0; c < classes; ++c) {
    for (Index j = 0; j <= F; ++j) {
      weights(trained->label[c], j) = static_cast<float>(trained->w[j * trained->nr_class + c]);
    }
  }
  free_and_destroy_model(&trained);
  return weights;
}

int same_predictions(const LinearClassifier& ours, const Matrix<float>& theirs,
                     const support::Classes& data) {
  Archive archive;
  archive.put("svm.weights", theirs);
  const std::vector<int> a = ours.predict(Context(), data.features);
  const std::vector<int> b = LinearClassifier::load(archive).predict(Context(), data.features);
  int same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i] ? 1 : 0;
  return same;
}

struct Size {
  std::string name;
  Index samples;
  Index features;
  double C;
};

class Liblinear : public testing::TestWithParam<Size> {};

TEST_P(Liblinear, HasTheSameObjectiveAndPredictions) {
  const auto [name, m, F, C] = GetParam();
  const auto data = support::clouds(m, F, 10, 5.0, 11);
  const LinearClassifier ours =
      LinearClassifier::fit(Context(), data.features, data.labels, 10, {.C = C});
  const Matrix<float> theirs = liblinear_weights(data, 10, C);
  const double ratio =
      support::svm_objective(data, ours.weights(), C) / support::svm_objective(data, theirs, C);
  EXPECT_NEAR(ratio, 1, 1e-4);
  EXPECT_GE(same_predictions(ours, theirs, data), m * 995 / 1000) << "of " << m;
}

// Solved on the features where there are more than 4/3 as many samples as features, else in the
// span of the samples; the middle two are on either side.
INSTANTIATE_TEST_SUITE_P(Sizes, Liblinear,
                         testing::Values(Size{"ManySamples", 2000, 400, 0.01},
                                         Size{"JustOnTheFeatures", 226, 300, 0.01},
                                         Size{"JustInTheSpan", 225, 300, 0.01},
                                         Size{"FewSamples", 120, 500, 0.001},
                                         Size{"FewSamplesLargerC", 120, 500, 0.03}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace krica
