// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel ICA in the paper's sense: kernel PCA whitening, then ICA of the K leading directions.
//
//   z = whitened projections of φ(x) (patches/kernel_pca.hpp), then ICA of z (ica.cpp)
//
// J. Yang et al., "Kernel ICA: An Alternative Formulation and its Application to Face Recognition",
// Pattern Recognition 38(10), 2005. Differences: for many patches the kernel PCA uses landmarks.
// The pipeline does the whitening (this method's default is whitening = kpca with as many
// directions as components), so the input here is z.
#include "bases/ica.hpp"
#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_kica(const Context& context, const BasisRequest& request) {
  return unmixed(context, request,
                 {"the kernel components of the patches",
                  "use a larger whitening-gamma, more landmarks, or kpca-rica, which learns more "
                  "atoms than there are"});
}

}  // namespace krica
