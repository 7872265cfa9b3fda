// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/reconstruction.hpp"

#include <Eigen/QR>

#include "runtime/check.hpp"

namespace krica {

bool has_linear_codes(const PipelineOptions& options) {
  return options.encoder == "kernel" && kernel_kind(options.kernel) == KernelKind::kLinear &&
         options.pool_power.value_or(1.0) == 1.0;
}

Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes) {
  require(model.shape().is_sample() && model.parts().extractor.has_value(), "reconstruction",
          "only samples can be restored from their codes");
  require(has_linear_codes(model.options()), "reconstruction",
          "codes of the encoder '{}' cannot be inverted; learn with encoder kernel and kernel "
          "linear",
          model.options().encoder.value_or("none"));
  const FeatureExtractor& extractor = *model.parts().extractor;
  const ConstMatrixView<float> atoms = extractor.encoder().atoms();
  require(codes.cols() == atoms.rows(), "reconstruction",
          "codes of {} values where there are {} atoms", codes.cols(), atoms.rows());
  const Whitening& whitening = extractor.preprocessing().linear_part();
  const RowMajor<double> filters = whitening.filters(atoms).view().cast<double>();
  const RowMajor<double> S = codes.cast<double>();
  RowMajor<double> X = filters.completeOrthogonalDecomposition().solve(S.transpose()).transpose();
  const std::vector<float> mean = whitening.mean();
  X.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(mean.data(), X.cols()).cast<double>();
  return Matrix<float>::copy_of(X.cast<float>());
}

}  // namespace krica
