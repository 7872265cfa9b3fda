// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/distances.hpp"

#include <cmath>

#include "models/model_parts.hpp"

namespace krica {

Matrix<float> scaled_distances(const Context& context, const Model& model, const ImageSet& images) {
  FeatureMatrix features = model.transform(context, images);
  model.parts().classifier->standardiser.apply_in_place(context, features.view());
  const auto view = std::as_const(features).view();
  const Index n = images.size();
  Matrix<float> distances(n, n);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      double squares = 0;
      for (Index f = 0; f < features.cols(); ++f) {
        const double difference = double{view(i, f)} - double{view(j, f)};
        squares += difference * difference;
      }
      distances(i, j) = distances(j, i) = static_cast<float>(std::sqrt(squares));
      sum += 2 * std::sqrt(squares);
    }
  }
  const double mean = sum / static_cast<double>(n * (n - 1));
  for (Index e = 0; e < distances.size() && mean > 0; ++e)
    distances.data()[e] = static_cast<float>(distances.data()[e] / mean);
  return distances;
}

double block_score(const Matrix<float>& distances, const ImageSet& images) {
  double sum[2] = {0, 0};  // different classes, same class
  Index pairs[2] = {0, 0};
  for (Index i = 0; i < distances.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const bool same = images.labels()[static_cast<std::size_t>(i)] ==
                        images.labels()[static_cast<std::size_t>(j)];
      sum[same ? 1 : 0] += distances(i, j);
      ++pairs[same ? 1 : 0];
    }
  }
  const auto mean = [&](int k) { return sum[k] / static_cast<double>(pairs[k]); };
  return mean(0) / mean(1);
}

}  // namespace krica
