// SPDX-License-Identifier: BSD-3-Clause
//
// How the atoms and the parts of an image contribute to a model's classification.
#pragma once

#include <vector>

#include "krica/models/model.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Whether scores are sums over atoms: there are atoms and a classifier, and no dictionary in
/// between (d-ksvd and lc-ksvd on images).
bool has_votes(const Model& model);

/// Atoms × classes: the atom's weight for the class, summed over the cells (and over the two halves
/// of a soft-threshold code). Throws InvalidArgument without atoms or a classifier.
Matrix<float> atom_votes(const Model& model);

/// For each class, the atoms that vote for it more than for any other, strongest first. Throws like
/// atom_votes.
std::vector<std::vector<Index>> atoms_by_class(const Model& model);

/// The atoms in groups for display: by their own class if they were learned for one, otherwise by
/// the class they vote for; without a classifier, one group in order. Throws InvalidArgument
/// without atoms.
std::vector<std::vector<Index>> atom_groups(const Model& model);

/// The first atom of each group in turn, `most` in total.
std::vector<std::vector<Index>> strongest_atoms(const std::vector<std::vector<Index>>& groups,
                                                Index most);

/// How much each atom adds to the score of a class for an image or sample: the classifier's weights
/// times the standardised features of the atom, summed over the cells. An average image gets 0; the
/// contributions of all atoms add up to the score (without mirror images) minus the classifier's
/// bias. Throws like atom_votes.
std::vector<float> atom_contributions(const Model& model, const float* image,
                                      const ImageShape& shape, Index which);

struct AtomContribution {
  Index atom = 0;
  float contribution = 0;
};

/// The largest positive contributions, largest first, at most `most`.
std::vector<AtomContribution> deciding_atoms(const std::vector<float>& contributions, Index most);

/// How much each position of a planar image adds to the score of a class: rows × columns of
/// positions. A feature's share of the score is divided among the positions of its cell in
/// proportion to their codes, that of an average image evenly; the votes of all positions add up to
/// the score (without mirror images) minus the classifier's bias. Throws like atom_votes.
KRICA_EXPORT Matrix<float> position_votes(const Model& model, const float* image,
                                          const ImageShape& shape, Index which);

}  // namespace krica
