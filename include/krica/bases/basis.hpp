// SPDX-License-Identifier: BSD-3-Clause
//
// Bases: the methods that learn atoms from patches, one file each in src/bases, behind one
// interface. To add a method, add a file and an entry in src/bases/registry.cpp, which holds
// everything the rest of the library needs to know about it; CONTRIBUTING.md has the recipe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/objectives/terms.hpp"
#include "krica/patches/whitening.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/adam.hpp"

namespace krica {

enum class SolverKind { kLbfgs, kAdam, kFixedPoint };
KRICA_EXPORT std::string_view name_of(SolverKind kind);

/// The signs of RICA's sources: one for all atoms, or one per atom.
struct KRICA_EXPORT SourceSigns {
  std::vector<int> values = {1};  ///< 1 or -1

  /// "1,-1,1"
  [[nodiscard]] std::string text() const;
  static SourceSigns from_text(std::string_view text);
  /// One per atom, or empty if all are +1. Throws InvalidArgument if the number of signs does not
  /// match `components`, unless that is not known yet (0).
  [[nodiscard]] std::vector<int> of(Index components) const;
};

/// How d-ksvd and lc-ksvd make a dictionary tell classes apart (bases/label_ksvd.cpp).
struct KRICA_EXPORT LabelTerms {
  double consistency = 4;   ///< √α of the label-consistent codes, > 0; lc-ksvd only
  double label_weight = 2;  ///< √β of the labels, > 0
  int version = 2;          ///< of lc-ksvd: 1 without the labels' term, 2 with it

  void validate() const;
};

/// Options of the methods, named as on the command line.
struct BasisOptions {
  Index components = 1600;
  Kernel kernel = {};
  double sparsity = 0.01;
  double epsilon = 1e-4;
  /// kmeans, random-patches, random, class-kmeans, label-affinity, or given: BasisRequest::initial
  std::string init = "kmeans";
  RicaConvention convention = RicaConvention::kPaper;  ///< RICA only
  std::optional<RicaContrast> rica_contrast = {};  ///< RICA only; unset: the convention's contrast
  double reconstruction_weight = 1;                ///< RICA, convention matlab: replaces sparsity
  std::vector<int> non_gaussianity = {};           ///< RICA only: +1 or -1 per atom; empty: all +1
  AtomGroups groups = {};
  std::optional<SolverKind> solver = {};  ///< unset: Adam for many patches, otherwise L-BFGS
  Index iterations = 100;
  Index epochs = 10;
  /// Adam only; unset: 1024, or a tenth of the patches if there are fewer than 10,240.
  std::optional<Index> batch = {};
  double rate = 0.01;
  Discrimination discrimination = {.weight = 0.1};  ///< drica, d-rica and d-krica only
  double sparsity_target = 0.05;  ///< sparse autoencoder, sparse RBM and conv-dbn only
  double weight_decay = 3e-3;     ///< sparse autoencoder only
  bool untied = false;            ///< the autoencoder has a separate decoder
  Index nonzeros = 10;            ///< ksvd, d-ksvd and lc-ksvd: atoms in a code
  LabelTerms label_terms = {};    ///< d-ksvd and lc-ksvd only
};

struct KRICA_EXPORT BasisRequest {
  ConstMatrixView<float> patches;  ///< preprocessed, one per row
  std::span<const int> labels;     ///< labels of the patches' images; may be empty
  BasisOptions options;
  SolverHooks hooks;               ///< the solver's checkpoints, if the method uses a solver
  const Archive* state = nullptr;  ///< a checkpoint to resume from
  /// When cancelled, return the best atoms so far with Status::kCancelled instead of throwing.
  bool best_when_cancelled = false;
  /// Continue this stream: one pass of Adam over these patches, whatever options.solver says.
  AdamStream<float>* stream = nullptr;
  /// The initial atoms, components × columns of the patches, if options.init is "given".
  ConstMatrixView<float> initial = ConstMatrixView<float>(nullptr, 0, 0);
};

struct Basis {
  Matrix<float> atoms;                   ///< K × n
  std::vector<HistoryRow> history = {};  ///< empty if the method does not iterate
  Status status = Status::kConverged;
  std::vector<float> bias = {};      ///< K values, for codes with a bias
  std::vector<int> atom_class = {};  ///< K values, if atoms belong to classes
  Matrix<float> class_map = {};      ///< classes × K, if a linear classifier was learned with them
};

/// When cancelled, passes its state to hooks.checkpoint and throws Cancelled, unless the request
/// wants the best atoms so far and there are some.
using LearnBasis = Basis(const Context&, const BasisRequest&);

/// Which values of BasisOptions::solver a method accepts.
enum class SolverChoice {
  kAll,
  kAdam,  ///< always learns with Adam
  kNone,  ///< has an algorithm of its own, or does not learn at all
};

/// What a method is for.
enum class Purpose { kClassifier, kFeatures, kClassAware, kSources, kNeural, kBaseline };

struct BasisMethod {
  std::string_view name;
  std::string_view summary;  ///< one line: what it is and when it is a good choice
  Purpose purpose = Purpose::kFeatures;
  std::string_view minimises = {};    ///< one line, in words and symbols
  std::string_view own_options = {};  ///< the options that shape its basis, separated by spaces
  std::string_view encoder;           ///< default encoder
  bool unit_norm = false;
  /// Default γ of a Gaussian kernel on patches, times their median squared distance.
  double patch_gamma = 6;
  std::string_view init;
  LearnBasis* learn = nullptr;  ///< null for raw pixels and networks, which have no basis
  /// What krica tune tries if no grid is given: "name=value,value name=value,..."
  std::string_view grid = {};
  bool own_start = false;  ///< has an initialisation of its own; `init` is only its name
  SolverChoice solvers = SolverChoice::kAll;
  double sparsity = 0.01;              ///< default weight of the sparsity term
  double sparsity_target = 0.05;       ///< default mean activity of a unit
  std::string_view whitening = "zca";  ///< default preprocessing
  /// Directions that whitening keeps by default, as a fraction of the components; 0 for all.
  double whitening_share = 0;
  bool needs_labels = false;  ///< divides its atoms among the classes
  /// The cost grows so fast with the number of atoms that comparisons use fewer.
  bool costly_atoms = false;
  bool rica = false;  ///< minimises RICA's objective, so RICA's options apply
  /// Defaults for samples that differ from those for patches; empty: the same. The encoder applies
  /// to models without a classifier.
  std::string_view sample_encoder = {};
  std::string_view sample_whitening = {};
  std::optional<bool> sample_unit_norm = {};
  /// learn() only gives the initial atoms; they are then learned together with the classifier, from
  /// labelled images (krica/joint).
  bool joint = false;
  /// Learns convolutional layers from whole images instead of atoms from patches
  /// (src/bases/conv_dbn.hpp).
  bool network = false;
  /// Codes are linear combinations of atoms, whatever kernel is the default.
  bool linear_codes = false;
  /// `sparsity` weighs the ℓ1 norm against half the squared error, as in the literature on sparse
  /// coding; the lasso of other methods against the whole.
  bool half_squares = false;
  Index iterations = 0;  ///< default limit; 0: that of the kind of data
  /// A dictionary with a linear classifier of its codes: for images, of the pooled features of
  /// another method (option features).
  bool classifies = false;
  /// learn() works in contexts that share rows, each rank with its share of the patches. Others get
  /// all patches on every rank.
  bool shares_rows = false;
  /// Defaults of options that most methods share.
  DescriptorKind descriptor = DescriptorKind::kPixels;
  Index components = 0;  ///< 0: by the data
  Index patches = 400000;
  std::string_view pool = "2x2";
  std::string_view pool_function = "sum";
  std::string_view feature_scaling = "standardise";
};

/// All methods, in the order in which help lists them.
KRICA_EXPORT std::span<const BasisMethod> basis_methods();
/// Throws InvalidArgument listing the known names.
KRICA_EXPORT const BasisMethod& basis_method(std::string_view name);

}  // namespace krica
