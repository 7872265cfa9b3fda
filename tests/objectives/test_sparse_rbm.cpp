// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "objectives/contract.hpp"
#include "objectives/sparse_rbm.hpp"

namespace krica {
namespace {

constexpr Index kUnits = 6;
constexpr double kTarget = 0.1;
constexpr double kWeight = 0.7;

template <class Scalar>
std::unique_ptr<SampledObjective<Scalar>> make(const Context& context, const Matrix<Scalar>& X) {
  return std::make_unique<SparseRbmObjective<Scalar>>(
      context, X,
      SparseRbmOptions{.n_components = kUnits, .sparsity = kWeight, .sparsity_target = kTarget});
}

struct Machine {
  Eigen::MatrixXd W;
  Eigen::VectorXd b;
  Eigen::VectorXd c;
  double variance;

  Machine(const Matrix<double>& packed, Index n, double tau_squared)
      : W(packed.view().topLeftCorner(kUnits, n)),
        b(packed.view().col(n).head(kUnits)),
        c(packed.view().row(kUnits).head(n)),
        variance(tau_squared) {}

  [[nodiscard]] Eigen::VectorXd probabilities(const Eigen::VectorXd& x) const {
    return (1 + (-(W * x + b)).array().exp()).inverse();
  }
  [[nodiscard]] double free_energy(const Eigen::VectorXd& x) const {
    return (x - c).squaredNorm() / (2 * variance) - (1 + (W * x + b).array().exp()).log().sum();
  }
  /// x' of sample i, with the draws that belong to it.
  [[nodiscard]] Eigen::VectorXd reconstruction(const Eigen::VectorXd& x, Index sample) const {
    Random random = Context().random("rbm.hidden", static_cast<std::uint64_t>(sample));
    Eigen::VectorXd h = probabilities(x);
    for (Index u = 0; u < kUnits; ++u) h(u) = random.uniform() < h(u) ? 1 : 0;
    return c + variance * W.transpose() * h;
  }
};

double mean_square(const Matrix<double>& X) {
  return X.view().squaredNorm() / static_cast<double>(X.size());
}

struct Naive {
  double value = 0;
  Matrix<double> direction;
};

/// The header's formula on the given samples; the derivatives of the free energies by differences.
Naive naive(const Matrix<double>& X, const std::vector<Index>& samples,
            const Matrix<double>& packed) {
  const Index n = X.cols();
  const auto m = static_cast<double>(samples.size());
  const Machine machine(packed, n, mean_square(X));
  std::vector<Eigen::VectorXd> data;
  std::vector<Eigen::VectorXd> model;
  Eigen::VectorXd activity = Eigen::VectorXd::Zero(kUnits);
  Naive result;
  for (const Index i : samples) {
    data.emplace_back(X.view().row(i));
    model.push_back(machine.reconstruction(data.back(), i));
    activity += machine.probabilities(data.back()) / m;
    result.value += (data.back() - model.back()).squaredNorm() / (2 * m);
  }
  result.direction = support::numerical_gradient(
      [&](const Matrix<double>& at) {
        const Machine moved(at, n, machine.variance);
        double difference = 0;
        for (std::size_t i = 0; i < data.size(); ++i)
          difference += (moved.free_energy(data[i]) - moved.free_energy(model[i])) / m;
        return difference;
      },
      packed);
  for (Index u = 0; u < kUnits; ++u) {
    const double q = activity(u);
    result.value += kWeight * (kTarget * std::log(kTarget / q) +
                               (1 - kTarget) * std::log((1 - kTarget) / (1 - q)));
    result.direction(u, n) += kWeight * (q - kTarget);
  }
  return result;
}

TEST(SparseRbm, IsItsFormula) {
  const Matrix<double> X = support::random_problem().X;
  const Matrix<double> packed = support::random_matrix<double>(kUnits + 1, 6, 5);
  const Context context({.threads = 2});
  const auto objective = make<double>(context, X);
  Matrix<double> direction(kUnits + 1, 6);

  std::vector<Index> all;
  for (Index i = 0; i < X.rows(); ++i) all.push_back(i);
  const Naive whole = naive(X, all, packed);
  const double value = objective->value_and_gradient(context, packed, direction);
  EXPECT_LT(support::relative_error(value, whole.value), support::kSameValue);
  EXPECT_LT(support::relative_error(direction, whole.direction), support::kSameGradient);
  EXPECT_TRUE(support::same_bits(objective->value(context, packed), value));

  const std::vector<Index> some = {7, 2, 11, 3, 5};
  const Naive part = naive(X, some, packed);
  EXPECT_LT(support::relative_error(objective->value_on(context, some, packed), part.value),
            support::kSameValue);
  objective->value_and_gradient_on(context, some, packed, direction);
  EXPECT_LT(support::relative_error(direction, part.direction), support::kSameGradient);
}

TEST(SparseRbm, SameBitsForAnyThreads) {
  const Matrix<float> X = support::random_matrix<float>(700, 5, 1);
  const Matrix<float> packed = support::random_matrix<float>(kUnits + 1, 6, 2);
  const auto one = support::evaluate<float>(Context({.threads = 1}), &make<float>, X, packed);
  for (const int threads : {2, 3, 4}) {
    const Context context({.threads = threads});
    const auto many = support::evaluate<float>(context, &make<float>, X, packed);
    EXPECT_TRUE(support::same_bits(one.value, many.value)) << threads;
    EXPECT_TRUE(support::same_bits(one.gradient, many.gradient)) << threads;
  }
}

TEST(SparseRbm, RefusesBadInput) {
  const Matrix<double> X = support::random_problem().X;
  support::expect_refusals(&make<double>, X, support::random_matrix<double>(kUnits + 1, 6, 5));
  EXPECT_THROW(make<double>(Context(), Matrix<double>(4, 3)), InvalidArgument) << "all zero";
  const auto refused = [&](SparseRbmOptions options) {
    EXPECT_THROW(SparseRbmObjective<double>(Context(), X, options), InvalidArgument);
  };
  refused({.n_components = 0});
  refused({.n_components = 3, .sparsity = -1});
  refused({.n_components = 3, .sparsity_target = 1});
}

}  // namespace
}  // namespace krica
