// SPDX-License-Identifier: BSD-3-Clause
#include "models/reconstruction.hpp"

#include <Eigen/QR>

#include "models/model_parts.hpp"
#include "runtime/check.hpp"

namespace krica {

bool has_linear_codes(const PipelineOptions& options) {
  const bool linear =
      options.encoder.kind == EncoderKind::kLinear ||
      (options.encoder.kind == EncoderKind::kKernel && options.kernel.kind == KernelKind::kLinear);
  return linear && options.pooling.power.value_or(1.0) == 1.0;
}

bool has_sparse_sums(const PipelineOptions& options) {
  return options.encoder.kind == EncoderKind::kSignedOmp ||
         (options.encoder.kind == EncoderKind::kSignedLasso &&
          options.kernel.kind == KernelKind::kLinear);
}

Matrix<double> input_filters(const Model& model) {
  const FeatureExtractor& extractor = *model.parts().extractor;
  const Whitening& whitening = extractor.preprocessing().linear_part();
  Matrix<double> filters =
      Matrix<double>::copy_of(whitening.filters(extractor.encoder().atoms()).view().cast<double>());
  filters.view() *= model.parts().units.scale;
  return filters;
}

std::vector<double> input_mean(const Model& model) {
  const SampleUnits& units = model.parts().units;
  const std::vector<float> whitened = model.parts().extractor->preprocessing().linear_part().mean();
  std::vector<double> mean(whitened.begin(), whitened.end());
  for (std::size_t j = 0; j < mean.size(); ++j) {
    mean[j] /= units.scale;
    if (!units.centre.empty()) mean[j] += units.centre[j];
  }
  return mean;
}

namespace {

/// The sums of atoms that the codes say, in the space of the samples.
Matrix<float> summed_atoms(const Model& model, ConstMatrixView<float> codes) {
  const FeatureExtractor& extractor = *model.parts().extractor;
  const Matrix<float> sums = Matrix<float>::copy_of(codes * extractor.encoder().atoms());
  Matrix<float> samples = extractor.preprocessing().linear_part().unwhiten(sums);
  const std::vector<double> mean = input_mean(model);
  for (Index i = 0; i < samples.rows(); ++i) {
    for (Index j = 0; j < samples.cols(); ++j) {
      samples(i, j) = static_cast<float>(double{samples(i, j)} / model.parts().units.scale +
                                         mean[static_cast<std::size_t>(j)]);
    }
  }
  return samples;
}

}  // namespace

Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes) {
  require(model.shape().is_sample() && model.parts().extractor.has_value(), "reconstruction",
          "only samples can be restored from their codes");
  const bool sums = has_sparse_sums(model.options());
  require(sums || has_linear_codes(model.options()), "reconstruction",
          "codes of the encoder '{}' cannot be inverted; learn with encoder linear",
          name_of(model.parts().extractor->encoder().options().kind));
  const ConstMatrixView<float> atoms = model.parts().extractor->encoder().atoms();
  require(codes.cols() == atoms.rows(), "reconstruction", "codes of {} values for {} atoms",
          codes.cols(), atoms.rows());
  if (sums) return summed_atoms(model, codes);
  const RowMajor<double> filters = input_filters(model).view();
  const RowMajor<double> S = codes.cast<double>();
  RowMajor<double> X = filters.completeOrthogonalDecomposition().solve(S.transpose()).transpose();
  const std::vector<double> mean = input_mean(model);
  X.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(mean.data(), X.cols());
  return Matrix<float>::copy_of(X.cast<float>());
}

}  // namespace krica
