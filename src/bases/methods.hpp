// SPDX-License-Identifier: BSD-3-Clause
//
// The methods' learning functions, for the registry.
#pragma once

#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_random_patches(const Context& context, const BasisRequest& request);
Basis learn_kmeans(const Context& context, const BasisRequest& request);
Basis learn_rica(const Context& context, const BasisRequest& request);
Basis learn_krica(const Context& context, const BasisRequest& request);
Basis learn_omp1(const Context& context, const BasisRequest& request);
Basis learn_sparse_filtering(const Context& context, const BasisRequest& request);
Basis learn_sparse_autoencoder(const Context& context, const BasisRequest& request);
Basis learn_sparse_rbm(const Context& context, const BasisRequest& request);
Basis learn_ica(const Context& context, const BasisRequest& request);
Basis learn_kica(const Context& context, const BasisRequest& request);
Basis learn_kpca_rica(const Context& context, const BasisRequest& request);
Basis learn_ksr(const Context& context, const BasisRequest& request);
Basis learn_drica(const Context& context, const BasisRequest& request);
Basis learn_d_rica(const Context& context, const BasisRequest& request);
Basis learn_d_krica(const Context& context, const BasisRequest& request);
Basis learn_max_margin_start(const Context& context, const BasisRequest& request);

}  // namespace krica
