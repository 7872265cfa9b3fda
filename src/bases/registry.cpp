// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <string>
#include <vector>

#include "krica/bases/basis.hpp"
#include "krica/runtime/words.hpp"
#include "runtime/check.hpp"
#include "runtime/nearest.hpp"

namespace krica {

// One file per method.
LearnBasis learn_d_krica;
LearnBasis learn_d_rica;
LearnBasis learn_drica;
LearnBasis learn_ica;
LearnBasis learn_kica;
LearnBasis learn_kmeans;
LearnBasis learn_kpca_rica;
LearnBasis learn_krica;
LearnBasis learn_ksr;
LearnBasis learn_max_margin_start;
LearnBasis learn_omp1;
LearnBasis learn_random_patches;
LearnBasis learn_rica;
LearnBasis learn_sparse_autoencoder;
LearnBasis learn_sparse_filtering;
LearnBasis learn_sparse_rbm;

namespace {

constexpr auto kMethods = std::to_array<BasisMethod>({
    {.name = "krica",
     .summary = "kernel reconstruction ICA: sparse nonlinear codes without labels",
     .purpose = Purpose::kFeatures,
     .minimises = "1/m Σ ‖φ(x) - Φᵀ s‖² + sparsity Σ smooth|s|, s_u = κ(w_u, x): reconstruct in "
                  "the kernel's space",
     .own_options = "kernel gamma degree kernel-scale sparsity epsilon init solver iterations "
                    "epochs batch rate pooling-groups",
     .encoder = "kernel",
     .unit_norm = true,
     .init = "kmeans",
     .learn = &learn_krica,
     .grid = "gamma=2,3,4 sparsity=0.001,0.01,0.1",
     .sample_whitening = "standardise",
     .sample_unit_norm = false},
    {.name = "max-margin-krica",
     .summary = "learns basis and classifier together from labelled images: the most accurate",
     .purpose = Purpose::kClassifier,
     .minimises = "the squared hinge (or cross-entropy) of a linear classifier of pooled codes, "
                  "over atoms, shapes and classifier",
     .own_options = "encoder init epochs batch rate decay loss flips crops held-out patience refit "
                    "learn-gamma reconstruction pool-power",
     .encoder = "soft-threshold",
     .init = "omp-1",
     .learn = &learn_max_margin_start,
     .grid = "rate=0.001,0.003,0.01 decay=0.01,0.05,0.1",
     .solvers = SolverChoice::kAdam,
     .sample_whitening = "standardise",
     .joint = true},
    {.name = "d-krica",
     .summary = "kRICA with atoms assigned to classes: the paper's method, when patches show their "
                "class",
     .purpose = Purpose::kClassAware,
     .minimises = "kRICA's objective + discrimination · the codes of atoms of other classes",
     .own_options = "kernel gamma sparsity discrimination discrimination-reading elastic init "
                    "solver iterations epochs",
     .encoder = "kernel",
     .unit_norm = true,
     .init = "class-kmeans",
     .learn = &learn_d_krica,
     .grid = "gamma=2,3,4 discrimination=0.001,0.01,0.1 discrimination-reading=sum,select",
     .needs_labels = true,
     .sample_whitening = "standardise",
     .sample_unit_norm = false},
    {.name = "random-patches",
     .summary = "atoms are random training patches: the control that a learned basis must beat",
     .purpose = Purpose::kBaseline,
     .minimises = "nothing: the atoms are drawn",
     .own_options = "kernel gamma degree kernel-scale",
     .encoder = "kernel",
     .unit_norm = true,
     .init = "random-patches",
     .learn = &learn_random_patches,
     .grid = "gamma=1,2,3,4",
     .own_start = true,
     .solvers = SolverChoice::kNone,
     .sample_whitening = "standardise",
     .sample_unit_norm = false},
    {.name = "rica",
     .summary = "reconstruction ICA, as MATLAB's rica: over-complete linear filters, fast to learn",
     .purpose = Purpose::kFeatures,
     .minimises = "1/m Σ ‖x - Wᵀ W x‖² + sparsity Σ smooth|W x|",
     .own_options = "convention rica-contrast reconstruction-weight non-gaussianity sparsity "
                    "epsilon init solver iterations epochs pooling-groups",
     .encoder = "abs",
     .init = "random",
     .learn = &learn_rica,
     .grid = "init=random,kmeans sparsity=0.001,0.01,0.1,1",
     .rica = true,
     .sample_encoder = "linear"},
    {.name = "drica",
     .summary = "RICA that penalises codes of other classes: linear filters shaped by labels",
     .purpose = Purpose::kClassAware,
     .minimises = "RICA's objective + discrimination · the codes of atoms of other classes",
     .own_options = "discrimination sparsity epsilon init solver iterations epochs",
     .encoder = "abs",
     .init = "class-kmeans",
     .learn = &learn_drica,
     .grid = "discrimination=0.001,0.01,0.1 sparsity=0.01,0.1",
     .needs_labels = true,
     .rica = true},
    {.name = "d-rica",
     .summary = "RICA with the paper's class constraint: shows what d-krica gains from its kernel",
     .purpose = Purpose::kClassAware,
     .minimises = "RICA's objective + discrimination · the paper's class constraint",
     .own_options = "discrimination discrimination-reading elastic sparsity epsilon init solver "
                    "iterations epochs",
     .encoder = "abs",
     .init = "class-kmeans",
     .learn = &learn_d_rica,
     .grid = "sparsity=0.01,0.1 discrimination=0.001,0.01,0.1 discrimination-reading=sum,select",
     .needs_labels = true,
     .rica = true},
    {.name = "ica",
     .summary =
         "symmetric FastICA: separates independent sources, at most as many as values in a patch",
     .purpose = Purpose::kSources,
     .minimises = "the dependence of W x, W orthogonal on whitened data (FastICA's fixed point)",
     .own_options = "iterations contrast-epsilon",
     .encoder = "abs",
     .init = "random",
     .learn = &learn_ica,
     .grid = "contrast-epsilon=1,10,100",
     .own_start = true,
     .solvers = SolverChoice::kNone,
     .sample_encoder = "linear"},
    {.name = "kica",
     .summary = "kernel PCA, then ICA: when a few hundred independent nonlinear codes suffice",
     .purpose = Purpose::kSources,
     .minimises = "as ica, on kernel principal components",
     .own_options = "whitening-gamma landmarks landmark-choice whitening-components iterations",
     .encoder = "abs",
     .init = "random",
     .learn = &learn_kica,
     .grid = "whitening-gamma=auto,0.003,0.01,0.03",
     .own_start = true,
     .solvers = SolverChoice::kNone,
     .whitening = "kpca",
     .whitening_share = 1,
     .costly_atoms = true,
     .sample_encoder = "linear"},
    {.name = "kpca-rica",
     .summary = "kernel PCA, then RICA: like kica, with more components than directions",
     .purpose = Purpose::kSources,
     .minimises = "RICA's objective on kernel principal components",
     .own_options = "whitening-gamma landmarks landmark-choice whitening-components sparsity "
                    "solver iterations epochs",
     .encoder = "abs",
     .init = "random",
     .learn = &learn_kpca_rica,
     .grid = "whitening-gamma=auto,0.003,0.01,0.03 sparsity=0.01,0.1",
     .whitening = "kpca",
     .whitening_share = 0.5,
     .rica = true},
    {.name = "ksr",
     .summary = "kernel sparse coding: solves for the code of each patch; slow, for small bases",
     .purpose = Purpose::kFeatures,
     .minimises = "Σ ‖φ(x) - Φᵀ s‖² + sparsity ‖s‖₁, over atoms and codes",
     .own_options = "gamma sparsity init iterations",
     .encoder = "lasso",
     .unit_norm = true,
     .init = "kmeans",
     .learn = &learn_ksr,
     .grid = "gamma=1,2,3 sparsity=0.1,0.3",
     .sparsity = 0.1,
     .costly_atoms = true,
     .sample_whitening = "standardise",
     .sample_unit_norm = false},
    {.name = "kmeans-triangle",
     .summary = "K-means centres with the triangle code: a fast baseline without labels",
     .purpose = Purpose::kFeatures,
     .minimises = "Σ ‖x - nearest centre‖²",
     .own_options = "whitening-epsilon",
     .encoder = "triangle",
     .init = "kmeans",
     .learn = &learn_kmeans,
     .grid = "whitening-epsilon=0.01,0.1,1",
     .own_start = true,
     .solvers = SolverChoice::kNone},
    {.name = "omp-1",
     .summary = "spherical K-means with soft-thresholded codes: a classic linear baseline",
     .purpose = Purpose::kFeatures,
     .minimises = "Σ ‖x - g d‖², one atom d of length 1 and one gain g per patch",
     .own_options = "threshold init iterations",
     .encoder = "soft-threshold",
     .init = "random",
     .learn = &learn_omp1,
     .grid = "threshold=0.1,0.25,0.5,1",
     .solvers = SolverChoice::kNone},
    {.name = "kmeans-hard",
     .summary = "K-means centres with one-hot codes: the classic bag of patches",
     .purpose = Purpose::kBaseline,
     .minimises = "Σ ‖x - nearest centre‖²",
     .own_options = "whitening-epsilon",
     .encoder = "hard",
     .init = "kmeans",
     .learn = &learn_kmeans,
     .grid = "whitening-epsilon=0.01,0.1,1",
     .own_start = true,
     .solvers = SolverChoice::kNone},
    {.name = "llc",
     .summary = "K-means centres with locality-constrained codes: a few neighbours share a patch",
     .purpose = Purpose::kFeatures,
     .minimises = "Σ ‖x - nearest centre‖²; a code: ‖x - Σ γ_u w_u‖² over the nearest centres, "
                  "Σ γ_u = 1",
     .own_options = "neighbours whitening-epsilon",
     .encoder = "llc",
     .init = "kmeans",
     .learn = &learn_kmeans,
     .grid = "neighbours=3,5,10 whitening-epsilon=0.01,0.1,1",
     .own_start = true,
     .solvers = SolverChoice::kNone},
    {.name = "improved-lcc",
     .summary = "locality-constrained codes with tangents: where a patch lies around its centres",
     .purpose = Purpose::kFeatures,
     .minimises = "as llc; then, for each centre, what d directions lose of γ_u (x - w_u)",
     .own_options = "neighbours tangents tangent-scale whitening-epsilon",
     .encoder = "tangents",
     .init = "kmeans",
     .learn = &learn_kmeans,
     .grid = "neighbours=3,5,10 tangents=4,8,16",
     .own_start = true,
     .solvers = SolverChoice::kNone,
     .costly_atoms = true},
    {.name = "sparse-filtering",
     .summary = "sparse features with no weight to tune, as MATLAB's sparsefilt: quick to try",
     .purpose = Purpose::kFeatures,
     .minimises = "Σ |f̂|, features scaled to length 1 by row and by sample",
     .own_options = "whitening-epsilon init solver iterations",
     .encoder = "soft-abs",
     .init = "random",
     .learn = &learn_sparse_filtering,
     .grid = "whitening-epsilon=0.01,0.1,1"},
    {.name = "sparse-autoencoder",
     .summary = "sparse sigmoid codes that reconstruct the patch: the classic neural baseline",
     .purpose = Purpose::kNeural,
     .minimises = "Σ ‖x - decoded‖² + weight decay + sparsity · KL(sparsity-target, mean activity)",
     .own_options = "sparsity sparsity-target weight-decay untied solver iterations",
     .encoder = "sigmoid",
     .init = "random",
     .learn = &learn_sparse_autoencoder,
     .grid = "sparsity=0.3,3 sparsity-target=0.02,0.05,0.1",
     .sparsity = 3},
    {.name = "sparse-rbm",
     .summary =
         "Boltzmann machine trained by contrastive divergence: the classic generative baseline",
     .purpose = Purpose::kNeural,
     .minimises = "the contrastive divergence + sparsity · (sparsity-target - mean activity)²",
     .own_options = "sparsity sparsity-target epochs batch rate",
     .encoder = "sigmoid",
     .init = "random",
     .learn = &learn_sparse_rbm,
     .grid = "sparsity=0.1,1 sparsity-target=0.02,0.05,0.1",
     .solvers = SolverChoice::kAdam,
     .sparsity = 1},
    {.name = "conv-dbn",
     .summary =
         "convolutional deep belief network: two generative layers learned from whole images",
     .purpose = Purpose::kNeural,
     .minimises = "the contrastive divergence of each layer + sparsity · (sparsity-target - mean "
                  "activity)²",
     .own_options = "receptive-field second-components second-field sparsity sparsity-target "
                    "epochs batch rate whitening whitening-epsilon contrast",
     .encoder = "sigmoid",
     .init = "random",
     .grid = "sparsity-target=0.01,0.02,0.05 whitening-epsilon=0.01,0.1",
     .own_start = true,
     .solvers = SolverChoice::kAdam,
     .sparsity = 1,
     .sparsity_target = 0.02,
     .network = true},
    {.name = "raw-pixels",
     .summary = "no basis, only the pixels: the floor for comparisons",
     .purpose = Purpose::kBaseline,
     .minimises = "nothing: there are no atoms",
     .encoder = "abs",
     .init = "random",
     .own_start = true,
     .solvers = SolverChoice::kNone},
});

}  // namespace

std::span<const BasisMethod> basis_methods() { return kMethods; }

const BasisMethod& basis_method(std::string_view name) {
  std::vector<std::string> known;
  for (const BasisMethod& method : kMethods) {
    if (method.name == name) return method;
    known.emplace_back(method.name);
  }
  unknown_word("method", name, known, "method");
}

}  // namespace krica
