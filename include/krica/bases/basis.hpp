// SPDX-License-Identifier: BSD-3-Clause
//
// Bases: the systems that learn atoms from patches, one file each in src/bases, under one
// interface. A new one is a file and an entry in src/bases/registry.cpp, which tells all that the
// rest must know of it; CONTRIBUTING.md has the recipe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/objectives/terms.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/adam.hpp"

namespace krica {

enum class SolverKind { kLbfgs, kAdam, kFixedPoint };
KRICA_EXPORT std::string_view name_of(SolverKind kind);

/// The signs of RICA's sources: one for all atoms, or one for each.
struct KRICA_EXPORT SourceSigns {
  std::vector<int> values = {1};  ///< 1 or -1

  /// "1,-1,1"
  [[nodiscard]] std::string text() const;
  static SourceSigns from_text(std::string_view text);
  /// One per atom, or empty where all are +1. Throws InvalidArgument for another number of atoms,
  /// unless that is not known yet (0).
  [[nodiscard]] std::vector<int> of(Index components) const;
};

/// What a method may ask for. Names as on the command line.
struct BasisOptions {
  Index components = 1600;
  Kernel kernel = {};
  double sparsity = 0.01;
  double epsilon = 1e-4;
  /// kmeans, random-patches, random, class-kmeans, label-affinity, or given: BasisRequest::initial
  std::string init = "kmeans";
  RicaConvention convention = RicaConvention::kPaper;  ///< of RICA
  std::optional<RicaContrast> rica_contrast = {};      ///< of RICA; unset: the convention's
  double reconstruction_weight = 1;  ///< of RICA in the convention matlab, in place of sparsity
  std::vector<int> non_gaussianity = {};  ///< of RICA: +1 or -1 per atom; empty: all +1
  AtomGroups groups = {};
  std::optional<SolverKind> solver = {};  ///< unset: Adam for many patches, else L-BFGS
  Index iterations = 100;
  Index epochs = 10;
  std::optional<Index> batch = {};  ///< of Adam; unset: 1024, or a tenth of fewer than 10,240
  double rate = 0.01;
  Discrimination discrimination = {.weight = 0.1};  ///< of drica, d-rica and d-krica
  double sparsity_target = 0.05;  ///< of the sparse autoencoder and the sparse RBM
  double weight_decay = 3e-3;     ///< of the sparse autoencoder
  bool untied = false;            ///< the autoencoder has a decoder of its own
};

struct KRICA_EXPORT BasisRequest {
  ConstMatrixView<float> patches;  ///< preprocessed, one a row
  std::span<const int> labels;     ///< of the patches' images; may be empty
  BasisOptions options;
  SolverHooks hooks;               ///< checkpoints of the solver, where the method has one
  const Archive* state = nullptr;  ///< a checkpoint to resume
  /// Where cancelled, give the best atoms so far with Status::kCancelled instead of throwing.
  bool best_when_cancelled = false;
  /// Go on with it: one pass of Adam over these patches, whatever options.solver says.
  AdamStream<float>* stream = nullptr;
  /// The first atoms, components × columns of the patches, where options.init is "given".
  ConstMatrixView<float> initial = ConstMatrixView<float>(nullptr, 0, 0);
};

struct Basis {
  Matrix<float> atoms;                   ///< K × n
  std::vector<HistoryRow> history = {};  ///< empty where nothing is iterated
  Status status = Status::kConverged;
  std::vector<float> bias = {};      ///< K values, for codes that have one
  std::vector<int> atom_class = {};  ///< K values, where atoms belong to classes
};

/// Throws Cancelled after hooks.checkpoint was given the state, unless the request wants the best
/// atoms then and there are some.
using LearnBasis = Basis(const Context&, const BasisRequest&);

/// Which values of BasisOptions::solver a method accepts.
enum class SolverChoice {
  kAll,
  kAdam,  ///< it learns by Adam whatever happens
  kNone,  ///< it learns by steps of its own, or not at all
};

/// What a method is for.
enum class Purpose { kClassifier, kFeatures, kClassAware, kSources, kNeural, kBaseline };

struct BasisMethod {
  std::string_view name;
  std::string_view summary;  ///< one line: what it is and when it is a good choice
  Purpose purpose = Purpose::kFeatures;
  std::string_view minimises = {};    ///< in words and symbols, one line
  std::string_view own_options = {};  ///< the options that shape its basis, separated by spaces
  std::string_view encoder;           ///< its defaults
  bool unit_norm = false;
  std::string_view init;
  LearnBasis* learn = nullptr;  ///< null for raw pixels, which have no basis
  /// What krica tune tries where no grid is given: "name=value,value name=value,..."
  std::string_view grid = {};
  bool own_start = false;  ///< it begins in its own way, for which `init` is only a name
  SolverChoice solvers = SolverChoice::kAll;
  double sparsity = 0.01;              ///< default of the weight of its sparsity term
  std::string_view whitening = "zca";  ///< default of the preprocessing
  /// Directions that the whitening keeps by default, as a part of the components; 0 for all.
  double whitening_share = 0;
  bool needs_labels = false;  ///< its atoms are divided among the classes
  /// Its cost grows so fast with the atoms that comparisons give it fewer.
  bool costly_atoms = false;
  bool rica = false;  ///< minimises RICA's objective, so RICA's own options apply to it
  /// Its defaults on samples that differ from those on patches; empty: the same. The encoder is
  /// that of models without a classifier.
  std::string_view sample_encoder = {};
  std::string_view sample_whitening = {};
  std::optional<bool> sample_unit_norm = {};
  /// What learn() gives is only the start: the atoms are learned with the classifier, from labelled
  /// images (krica/joint).
  bool joint = false;
};

/// All methods, in the order of help.
KRICA_EXPORT std::span<const BasisMethod> basis_methods();
/// Throws InvalidArgument that lists the known names.
KRICA_EXPORT const BasisMethod& basis_method(std::string_view name);

}  // namespace krica
