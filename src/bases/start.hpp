// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krica/bases/basis.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

/// Throws InvalidArgument where there are fewer patches than atoms, each of which starts from some.
void require_patches_for_atoms(const BasisRequest& request);

/// The first atoms by request.options.init: kmeans, random-patches (different ones, none of them
/// zero), random (unit-norm normals), or by class (class_atoms.hpp). kmeans and omp-1 give their
/// states to the request's hooks and take them up again. Throws InvalidArgument for other names and
/// for more atoms than patches.
Matrix<float> starting_atoms(const Context& context, const BasisRequest& request);

/// The same for methods whose atoms are directions: where K-means gives a zero centre, as for blank
/// patches, a random patch that is not zero takes its place.
Matrix<float> starting_directions(const Context& context, const BasisRequest& request);

/// Rows to length 1; zero rows stay.
void normalise_rows(Matrix<float>& atoms);

/// Minimises by request.options.solver; "auto" is Adam from 50,000 patches on, else L-BFGS; or goes
/// on with request.stream. Resumes request.state. Throws Cancelled after the checkpoint hook was
/// given the state, unless request.best_when_cancelled.
Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request);

/// The same from a start of the objective's own shape.
Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request, const std::function<Matrix<float>()>& start);

}  // namespace krica
