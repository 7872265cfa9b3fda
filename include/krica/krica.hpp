// SPDX-License-Identifier: BSD-3-Clause
//
// The whole core library. The data set readers, krica/data/dataset.hpp and krica/data/image.hpp,
// are in a separate library, krica_data.
#pragma once

#include "krica/bases/basis.hpp"                 // IWYU pragma: export
#include "krica/classify/linear_classifier.hpp"  // IWYU pragma: export
#include "krica/clustering/kmeans.hpp"           // IWYU pragma: export
#include "krica/data/image_set.hpp"              // IWYU pragma: export
#include "krica/data/sample_set.hpp"             // IWYU pragma: export
#include "krica/features/encoder.hpp"            // IWYU pragma: export
#include "krica/features/feature_matrix.hpp"     // IWYU pragma: export
#include "krica/features/pooling.hpp"            // IWYU pragma: export
#include "krica/kernels/kernel.hpp"              // IWYU pragma: export
#include "krica/models/model.hpp"                // IWYU pragma: export
#include "krica/models/options.hpp"              // IWYU pragma: export
#include "krica/models/training.hpp"             // IWYU pragma: export
#include "krica/objectives/krica.hpp"            // IWYU pragma: export
#include "krica/objectives/rica.hpp"             // IWYU pragma: export
#include "krica/objectives/terms.hpp"            // IWYU pragma: export
#include "krica/patches/whitening.hpp"           // IWYU pragma: export
#include "krica/runtime/archive.hpp"             // IWYU pragma: export
#include "krica/runtime/context.hpp"             // IWYU pragma: export
#include "krica/runtime/error.hpp"               // IWYU pragma: export
#include "krica/runtime/library.hpp"             // IWYU pragma: export
#include "krica/runtime/matrix.hpp"              // IWYU pragma: export
#include "krica/runtime/words.hpp"               // IWYU pragma: export
#include "krica/solvers/adam.hpp"                // IWYU pragma: export
#include "krica/solvers/fixed_point.hpp"         // IWYU pragma: export
#include "krica/solvers/lbfgs.hpp"               // IWYU pragma: export
#include "krica/solvers/objective.hpp"           // IWYU pragma: export
#include "krica/solvers/solver.hpp"              // IWYU pragma: export
