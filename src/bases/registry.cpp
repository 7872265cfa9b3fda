// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "bases/methods.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::array<BasisMethod, 7> kMethods = {{
    {"krica", "kernel reconstruction ICA: sparse nonlinear codes without labels", "kernel", true,
     "kmeans", &learn_krica},
    {"max-margin-krica",
     "basis and classifier learned together from labelled images: the most accurate", "kernel",
     true, "random-patches", &learn_max_margin_start, true},
    {"random-patches",
     "atoms are random training patches: the control that every learned basis must beat", "kernel",
     true, "random-patches", &learn_random_patches},
    {"rica", "reconstruction ICA: over-complete linear filters, as MATLAB's rica", "abs", false,
     "random", &learn_rica},
    {"kmeans-triangle", "K-means centres with the triangle code: fast and strong without labels",
     "triangle", false, "kmeans", &learn_kmeans},
    {"kmeans-hard", "K-means centres with one-hot codes: the classic bag of patches", "hard", false,
     "kmeans", &learn_kmeans},
    {"raw-pixels", "no basis: the pixels themselves, as a floor for comparison", "abs", false,
     "random", nullptr},
}};

}  // namespace

std::span<const BasisMethod> basis_methods() { return kMethods; }

const BasisMethod& basis_method(std::string_view name) {
  std::string known;
  for (const BasisMethod& method : kMethods) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  throw InvalidArgument(fmt::format("[method] unknown method '{}'; known: {}", name, known));
}

}  // namespace krica
