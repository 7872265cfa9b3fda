// SPDX-License-Identifier: BSD-3-Clause
#include "classify/dictionary_codes.hpp"

#include <fmt/format.h>

#include "krica/runtime/error.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr Index kTileRows = 64;
const std::string kAtoms = "dictionary.atoms";
const std::string kNonzeros = "dictionary.nonzeros";

}  // namespace

Matrix<float> DictionaryCodes::of(const Context& context, ConstMatrixView<float> features) const {
  Matrix<float> projected(features.rows(), projection.outputs());
  projection.apply(context, features, projected);
  Matrix<float> codes(features.rows(), encoder.channels());
  const Partition tiles(features.rows(), kTileRows);
  parallel_for(context, tiles.count(), [&](Index t) {
    // As in the projection: whole tiles, so that a sample has the same bits in any company.
    const Range tile = tiles[t];
    Matrix<float> padded(kTileRows, projection.outputs());
    padded.view().topRows(tile.size()) =
        ConstMatrixView<float>(projected).rows_between(tile.begin, tile.end);
    Matrix<float> own(kTileRows, encoder.channels());
    encoder.encode(padded, own);
    MatrixView<float>(codes).rows_between(tile.begin, tile.end) = own.view().topRows(tile.size());
  });
  return codes;
}

void DictionaryCodes::save(Archive& archive) const {
  projection.save(archive);
  archive.put(kAtoms, encoder.atoms());
  archive.put_scalar<std::int64_t>(kNonzeros, encoder.options().nonzeros);
}

std::optional<DictionaryCodes> DictionaryCodes::load_if(const Archive& archive, Index most_atoms) {
  if (!archive.has(kAtoms)) return std::nullopt;
  const auto atoms = finite_matrix<float>(archive, kAtoms);
  const auto nonzeros = archive.scalar<std::int64_t>(kNonzeros);
  FeatureProjection projection = FeatureProjection::load(archive);
  if (atoms.rows() < 1 || atoms.rows() > most_atoms || atoms.cols() != projection.outputs() ||
      nonzeros < 1) {
    throw DataError(
        fmt::format("[dictionary] {} x {} atoms and {} nonzeros do not fit {} components, or are "
                    "more than {} atoms",
                    atoms.rows(), atoms.cols(), nonzeros, projection.outputs(), most_atoms));
  }
  const EncoderOptions options{.kind = EncoderKind::kSignedOmp, .nonzeros = nonzeros};
  return DictionaryCodes{std::move(projection), Encoder(options, atoms)};
}

}  // namespace krica
