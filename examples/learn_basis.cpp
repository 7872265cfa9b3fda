// SPDX-License-Identifier: BSD-3-Clause
//
// Learns a Gaussian kRICA basis from noisy points on three rings, which no linear code can
// separate, and reports how the fit went.
#include <cmath>
#include <iostream>
#include <krica/krica.hpp>

namespace {

krica::Matrix<double> points_on_rings(const krica::Context& context, krica::Index count) {
  krica::Matrix<double> X(count, 2);
  for (krica::Index i = 0; i < count; ++i) {
    krica::Random random = context.random("example.rings", static_cast<std::uint64_t>(i));
    const double radius = 1.0 + static_cast<double>(i % 3) + 0.05 * random.normal();
    const double angle = 6.283185307179586 * random.uniform();
    X(i, 0) = radius * std::cos(angle);
    X(i, 1) = radius * std::sin(angle);
  }
  return X;
}

}  // namespace

int main() {
  const krica::Context context({.seed = 7});
  const krica::Matrix<double> X = points_on_rings(context, 3000);

  const double gamma = krica::auto_gamma<double>(context, X);
  krica::KricaObjective<double> objective(X, {.n_components = 24, .kernel = {.gamma = gamma}});
  const auto start = krica::kmeans<double>(context, X, {.n_clusters = 24});
  const auto result =
      krica::Lbfgs<double>({.max_iterations = 200}).minimize(context, objective, start.centers);

  std::cout << "gamma " << gamma << ", objective " << result.history.front().value << " -> "
            << result.value << " in " << result.iterations << " iterations\n"
            << krica::name_of(result.status) << ": " << krica::explanation_of(result.status)
            << '\n';

  // Codes of the first three points, one on each ring: S(i, u) = κ(w_u, x_i).
  krica::Matrix<double> codes(3, 24);
  krica::kernel_matrix<double>(context, objective.options().kernel,
                               krica::ConstMatrixView<double>(X).rows_between(0, 3), result.best,
                               codes);
  for (krica::Index i = 0; i < 3; ++i) {
    krica::Index strongest = 0;
    codes.view().row(i).maxCoeff(&strongest);
    std::cout << "point " << i << " answers most to atom " << strongest << " ("
              << codes(i, strongest) << ")\n";
  }
  return result.succeeded() ? 0 : 1;
}
