// SPDX-License-Identifier: BSD-3-Clause
//
// The loops as C functions on the caller's arrays, so that benchmarks/compare.py times them in one
// process with its peers. All matrices are row-major float32. A function that fails returns -1 (or
// null) after printing why.
#pragma once

#include <cstdint>

extern "C" {

/// A feature extractor for colour images: preprocessing learned from 20,000 of their patches
/// (contrast, ZCA, unit norm), K of these as atoms, the Gaussian code, 2 x 2 sums. images: count x
/// 3 x side x side bytes.
void* krica_extractor(const std::uint8_t* images, std::int64_t count, std::int64_t side,
                      std::int64_t channels, std::int64_t field, std::int64_t K, double gamma);
void krica_extractor_free(void* extractor);
/// What a peer needs to compute the same: transform n x n, offset n (x is whitened to x·transform -
/// offset), atoms K x n.
void krica_extractor_parts(const void* extractor, float* transform, float* offset, float* atoms);
/// features: count x 4K.
int krica_encode(const void* extractor, const std::uint8_t* images, std::int64_t count, int threads,
                 float* features);

/// Preprocessed patches of images, count x n, without unit norm.
int krica_patches(const std::uint8_t* images, std::int64_t image_count, std::int64_t side,
                  std::int64_t channels, std::int64_t field, std::int64_t count, float* patches);

/// Objectives hold their work space between evaluations, as within a solver.
void* krica_objective(const float* X, std::int64_t m, std::int64_t n, std::int64_t K, double gamma,
                      double sparsity, double epsilon, int threads);
void* krica_rica_objective(const float* X, std::int64_t m, std::int64_t n, std::int64_t K,
                           double sparsity, double epsilon, int threads);
void krica_objective_free(void* objective);
/// value and gradient (K x n).
int krica_value_and_gradient(void* objective, const float* W, double* value, float* gradient);

/// Exactly `iterations` of Lloyd's from the given centres, which are overwritten.
int krica_kmeans(const float* X, std::int64_t m, std::int64_t n, float* centers, std::int64_t K,
                 std::int64_t iterations, int threads, double* inertia);

/// Codes (m x K) by matching pursuit with at most `nonzeros` atoms, or by the lasso with ½‖x -
/// Dᵀs‖² + sparsity ‖s‖₁ to 1e-4 of the minimum. atoms: K x n, of length 1.
int krica_omp(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
              std::int64_t nonzeros, int threads, float* codes);
int krica_lasso(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
                double sparsity, int threads, float* codes);

/// `iterations` of K-SVD from the given atoms, and the cost that they reach; with plain != 0 as it
/// is usually first written (plain_ksvd.hpp).
int krica_ksvd(const float* X, std::int64_t m, std::int64_t n, const float* atoms, std::int64_t K,
               std::int64_t nonzeros, std::int64_t iterations, int plain, int threads,
               double* cost);

/// weights: classes x (F + 1), the bias last.
int krica_svm(const float* features, std::int64_t m, std::int64_t F, const std::int32_t* labels,
              std::int64_t classes, double C, int threads, float* weights);

/// LIBLINEAR on the same problem: the copy into its sparse form is made once and not timed.
void* krica_liblinear(const float* features, std::int64_t m, std::int64_t F,
                      const std::int32_t* labels);
void krica_liblinear_free(void* problem);
int krica_liblinear_train(void* problem, std::int64_t classes, double C, double tolerance, int dual,
                          float* weights);
}
