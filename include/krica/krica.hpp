// SPDX-License-Identifier: BSD-3-Clause
//
// Everything in the core library.
#pragma once

#include "krica/bases/basis.hpp"                 // IWYU pragma: export
#include "krica/classify/linear_classifier.hpp"  // IWYU pragma: export
#include "krica/classify/standardiser.hpp"       // IWYU pragma: export
#include "krica/classify/svm_trainer.hpp"        // IWYU pragma: export
#include "krica/clustering/kmeans.hpp"           // IWYU pragma: export
#include "krica/features/encoder.hpp"            // IWYU pragma: export
#include "krica/features/extractor.hpp"          // IWYU pragma: export
#include "krica/features/feature_options.hpp"    // IWYU pragma: export
#include "krica/features/pool_power.hpp"         // IWYU pragma: export
#include "krica/features/pooling_grid.hpp"       // IWYU pragma: export
#include "krica/joint/augmentation.hpp"          // IWYU pragma: export
#include "krica/joint/batch_moments.hpp"         // IWYU pragma: export
#include "krica/joint/margin_loss.hpp"           // IWYU pragma: export
#include "krica/joint/objective.hpp"             // IWYU pragma: export
#include "krica/joint/pooled_codes.hpp"          // IWYU pragma: export
#include "krica/joint/trainer.hpp"               // IWYU pragma: export
#include "krica/kernels/kernel.hpp"              // IWYU pragma: export
#include "krica/models/model.hpp"                // IWYU pragma: export
#include "krica/models/training.hpp"             // IWYU pragma: export
#include "krica/objectives/atom_groups.hpp"      // IWYU pragma: export
#include "krica/objectives/discrimination.hpp"   // IWYU pragma: export
#include "krica/objectives/krica.hpp"            // IWYU pragma: export
#include "krica/objectives/rica.hpp"             // IWYU pragma: export
#include "krica/patches/kernel_pca.hpp"          // IWYU pragma: export
#include "krica/patches/local_descriptors.hpp"   // IWYU pragma: export
#include "krica/patches/preprocessing.hpp"       // IWYU pragma: export
#include "krica/patches/sampling.hpp"            // IWYU pragma: export
#include "krica/patches/whitening.hpp"           // IWYU pragma: export
#include "krica/runtime/archive.hpp"             // IWYU pragma: export
#include "krica/runtime/context.hpp"             // IWYU pragma: export
#include "krica/runtime/error.hpp"               // IWYU pragma: export
#include "krica/runtime/library.hpp"             // IWYU pragma: export
#include "krica/runtime/matrix.hpp"              // IWYU pragma: export
#include "krica/runtime/random.hpp"              // IWYU pragma: export
#include "krica/solvers/adam.hpp"                // IWYU pragma: export
#include "krica/solvers/adam_stream.hpp"         // IWYU pragma: export
#include "krica/solvers/basis_objective.hpp"     // IWYU pragma: export
#include "krica/solvers/fixed_point.hpp"         // IWYU pragma: export
#include "krica/solvers/gram_lasso.hpp"          // IWYU pragma: export
#include "krica/solvers/lbfgs.hpp"               // IWYU pragma: export
#include "krica/solvers/objective.hpp"           // IWYU pragma: export
#include "krica/solvers/solver.hpp"              // IWYU pragma: export
