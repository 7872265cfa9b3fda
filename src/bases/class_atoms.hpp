// SPDX-License-Identifier: BSD-3-Clause
//
// What drica, d-rica, d-krica, d-ksvd and lc-ksvd share: K = k·c atoms, k consecutive ones for each
// of c classes.
#pragma once

#include <functional>

#include "krica/bases/basis.hpp"
#include "krica/objectives/terms.hpp"

namespace krica {

/// The class-aware term from the request's options. Throws InvalidArgument without labels, or if
/// the number of components is not a multiple of the number of classes (naming the nearest
/// multiples).
Discrimination discrimination_of(const BasisRequest& request, bool homogeneous);

/// The classes of the request's atoms, k consecutive ones each.
std::vector<int> consecutive_classes(const BasisRequest& request);

/// Throws InvalidArgument for a request that class_by_class() would refuse: besides the above, more
/// atoms of a class than it has patches. Only the number of patches matters, not their values.
void require_class_patches(const BasisRequest& request);

/// Initial atoms by class, in the order of consecutive_classes:
///   class-kmeans     the centres of K-means on the patches of each class
///   label-affinity   the centres of K-means on all patches, each assigned to the class of whose
///                    patches it holds the largest fraction, k per class, strongest first
Matrix<float> class_kmeans(const Context& context, const BasisRequest& request);
Matrix<float> label_affinity(const Context& context, const BasisRequest& request);

/// class-kmeans with atoms that `learn` finds in the patches of one class, for a request of k
/// components, passing on its states as a start (clustering_run.hpp).
Matrix<float> class_by_class(const Context& context, const BasisRequest& request,
                             const std::function<Matrix<float>(const BasisRequest&)>& learn);

}  // namespace krica
