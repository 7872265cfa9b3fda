// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krica/bases/basis.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

/// Throws InvalidArgument if there are fewer patches than atoms, as each atom starts from a patch.
void require_patches_for_atoms(const BasisRequest& request);

/// Whether atoms start from the patches of their class (class_atoms.hpp): not divided among ranks.
inline bool starts_by_class(std::string_view init) {
  return init == "class-kmeans" || init == "label-affinity";
}

/// The initial atoms by request.options.init: kmeans, random-patches (distinct and non-zero),
/// random (unit-norm normals), or by class (class_atoms.hpp). kmeans and omp-1 pass their states to
/// the request's hooks and can resume. Throws InvalidArgument for other names and for more atoms
/// than patches.
Matrix<float> starting_atoms(const Context& given, const BasisRequest& request);

/// The same for methods whose atoms are directions: a random non-zero patch replaces a zero centre
/// of K-means, as from blank patches.
Matrix<float> starting_directions(const Context& context, const BasisRequest& request);

/// Scales rows to length 1; zero rows stay zero.
void normalise_rows(Matrix<float>& atoms);

/// Minimises with request.options.solver ("auto": Adam from 50,000 patches on, otherwise L-BFGS),
/// or continues request.stream. Resumes from request.state. When cancelled, passes its state to the
/// checkpoint hook and throws Cancelled, unless request.best_when_cancelled.
Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request);

/// The same from a start of the objective's shape.
Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request, const std::function<Matrix<float>()>& start);

}  // namespace krica
