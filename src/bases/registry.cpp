// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "bases/methods.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr auto kMethods = std::to_array<BasisMethod>({
    {"krica", "kernel reconstruction ICA: sparse nonlinear codes without labels", "kernel", true,
     "kmeans", &learn_krica, "gamma=2,3,4 sparsity=0.001,0.01,0.1"},
    {"max-margin-krica",
     "basis and classifier learned together from labelled images: the most accurate", "kernel",
     true, "random-patches", &learn_max_margin_start, "rate=0.001,0.003,0.01 decay=0.01,0.05,0.1",
     0.01, "zca", false, true},
    {"d-krica", "kRICA whose atoms belong to classes: the paper's own, where patches know them",
     "kernel", true, "class-kmeans", &learn_d_krica,
     "gamma=2,3,4 discrimination=0.001,0.01,0.1 discrimination-reading=sum,select", 0.01, "zca",
     true},
    {"random-patches",
     "atoms are random training patches: the control that every learned basis must beat", "kernel",
     true, "random-patches", &learn_random_patches, "gamma=1,2,3,4"},
    {"rica", "reconstruction ICA: over-complete linear filters, as MATLAB's rica", "abs", false,
     "random", &learn_rica, "init=random,kmeans sparsity=0.001,0.01,0.1,1"},
    {"drica", "RICA that keeps the codes of other classes' atoms small: linear and class-aware",
     "abs", false, "class-kmeans", &learn_drica, "discrimination=0.001,0.01,0.1 sparsity=0.01,0.1",
     0.01, "zca", true},
    {"d-rica", "RICA with the paper's discrimination constraint: linear and class-aware", "abs",
     false, "class-kmeans", &learn_d_rica,
     "sparsity=0.01,0.1 discrimination=0.001,0.01,0.1 discrimination-reading=sum,select", 0.01,
     "zca", true},
    {"ica", "symmetric FastICA: independent linear filters, at most as many as values in a patch",
     "abs", false, "random", &learn_ica, "contrast-epsilon=1,10,100"},
    {"kica", "kernel PCA, then ICA: independent nonlinear components, a few hundred at most", "abs",
     false, "random", &learn_kica, "whitening-gamma=auto,0.003,0.01,0.03", 0.01, "kpca"},
    {"kpca-rica", "kernel PCA, then RICA: kica with more components than directions", "abs", false,
     "random", &learn_kpca_rica, "whitening-gamma=auto,0.003,0.01,0.03 sparsity=0.01,0.1", 0.01,
     "kpca"},
    {"ksr", "kernel sparse coding: codes solved for each patch; slow, for small K", "lasso", true,
     "kmeans", &learn_ksr, "gamma=1,2,3 sparsity=0.1,0.3", 0.1},
    {"kmeans-triangle", "K-means centres with the triangle code: fast and strong without labels",
     "triangle", false, "kmeans", &learn_kmeans, "whitening-epsilon=0.01,0.1,1"},
    {"omp-1", "unit atoms by spherical K-means, thresholded codes: the strongest classic baseline",
     "soft-threshold", false, "random", &learn_omp1, "threshold=0.1,0.25,0.5,1"},
    {"kmeans-hard", "K-means centres with one-hot codes: the classic bag of patches", "hard", false,
     "kmeans", &learn_kmeans, "whitening-epsilon=0.01,0.1,1"},
    {"sparse-filtering",
     "features normalised to be sparse, no weights to tune: as MATLAB's sparsefilt", "soft-abs",
     false, "random", &learn_sparse_filtering, "whitening-epsilon=0.01,0.1,1"},
    {"sparse-autoencoder", "sigmoid codes that reconstruct, each active a part of the time",
     "sigmoid", false, "random", &learn_sparse_autoencoder,
     "sparsity=0.3,3 sparsity-target=0.02,0.05,0.1", 3},
    {"sparse-rbm", "Boltzmann machine by contrastive divergence: the classic generative baseline",
     "sigmoid", false, "random", &learn_sparse_rbm, "sparsity=0.1,1 sparsity-target=0.02,0.05,0.1",
     1},
    {"raw-pixels", "no basis: the pixels themselves, as a floor for comparison", "abs", false,
     "random", nullptr},
});

}  // namespace

std::span<const BasisMethod> basis_methods() { return kMethods; }

const BasisMethod& basis_method(std::string_view name) {
  std::string known;
  for (const BasisMethod& method : kMethods) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  throw InvalidArgument(fmt::format("[method] unknown method '{}'; known: {}", name, known));
}

}  // namespace krica
