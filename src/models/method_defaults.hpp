// SPDX-License-Identifier: BSD-3-Clause
//
// Defaults that depend on the method or on the kind of data.
#pragma once

#include "krica/data/image_set.hpp"
#include "krica/models/options.hpp"
#include "patches/preprocessing.hpp"

namespace krica {

constexpr double kPatchWhitening = 0.1;
constexpr double kImageWhitening = 0.01;  ///< of the mean variance, for whole images
constexpr double kSampleWhitening = 0.1;  ///< of the mean variance
constexpr double kExactWhitening = 1e-6;  ///< for linear codes: more would blur the sources
constexpr double kStandardising = 0.1;  ///< of the median variance: limits nearly constant features
constexpr double kKernelPcaWhitening = 1e-4;  ///< its variances are fractions of κ(x, x), about 1
constexpr double kPatchContrast = PreprocessingOptions{}.contrast_epsilon;
constexpr double kSampleContrast = 0.01;  ///< of the mean variance of a row
constexpr Index kSampleIterations = 1000;
constexpr double kJointPower = 0.5;
constexpr Index kNeighbours = EncoderOptions{}.neighbours;
constexpr Index kTangents = 8;               ///< per atom
constexpr Index kSecondField = 5;            ///< of conv-dbn
constexpr double kClassifierRate = 1.0 / 3;  ///< the classifier learns more slowly than the basis

constexpr Index kSiftField = 16;
constexpr Index kSiftStride = 6;

/// The option's value, or the method's own.
double sparsity_of(const PipelineOptions& options);
DescriptorKind descriptor_of(const PipelineOptions& options);
Index stride_of(const PipelineOptions& options);
Index patches_of(const PipelineOptions& options);
PoolLevels pool_levels_of(const PipelineOptions& options);
PoolFunction pool_function_of(const PipelineOptions& options);
FeatureScaling feature_scaling_of(const PipelineOptions& options);
/// Whether the classifier also learns from mirror images: an SVM from every image and its mirror,
/// max-margin training from one of the two, drawn anew in every epoch.
bool trains_on_mirrors(const PipelineOptions& options);
WhiteningMethod whitening_of(const PipelineOptions& options, const ImageShape& shape);
double default_whitening_epsilon(const PipelineOptions& options, const ImageShape& shape);

}  // namespace krica
