// SPDX-License-Identifier: BSD-3-Clause
//
// Made by scipy_reference.py with SciPy 1.10.1; do not edit. Options of L-BFGS-B:
// maxcor=10 ftol=0.0 gtol=1e-09 maxiter=20000 maxfun=50000.
#pragma once

#include <array>

namespace krica::scipy {

/// f <= f* + kTarget |f*| counts as the optimum; f <= kTarget where f* is 0.
inline constexpr double kTarget = 1e-06;

struct Minimum {
  long problem;           // n of Rosenbrock's function, or the seed of the start
  long evaluations;       // until the target
  long evaluations_done;  // until SciPy stopped
  double value;
};

inline constexpr std::array<Minimum, 2> kRosenbrock = {{
    {2, 42, 46, 3.040075505200262e-22},
    {100, 611, 650, 8.596511589449331e-21},
}};

/// RICA, n = K = 8, m = 2000, five starts.
inline constexpr double kCompleteCheckSum = -333.0100422072928;
inline constexpr std::array<Minimum, 5> kComplete = {{
    {100, 187, 302, 0.5652334760398519},
    {101, 109, 237, 0.5652334760398516},
    {102, 144, 300, 0.5652334760398512},
    {103, 138, 273, 0.5652334760398514},
    {104, 163, 295, 0.5652334760398511},
}};

struct Median {
  long K;
  double value;
  double highest;  // of the values
  double evaluations;
  long met;  // the most atoms that coincide with another one
};

/// RICA with unit rows, n = 6, m = 1000, 10 starts.
inline constexpr double kOvercompleteCheckSum = 249.97011137233403;
inline constexpr std::array<Median, 2> kOvercomplete = {{
    {9, 4.910625870108671, 4.918499056813239, 273.5, 0},
    {24, 63.030985447887275, 63.060307410269246, 691.0, 12},
}};

}  // namespace krica::scipy
