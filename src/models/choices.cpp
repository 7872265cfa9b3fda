// SPDX-License-Identifier: BSD-3-Clause
#include "krica/bases/basis.hpp"
#include "krica/joint/margin_loss.hpp"
#include "krica/models/options.hpp"
#include "krica/objectives/discrimination.hpp"
#include "krica/runtime/enum_names.hpp"

namespace krica {

std::vector<std::string> choices_of(std::string_view option) {
  std::vector<std::string> choices;
  if (option == "method") {
    for (const BasisMethod& method : basis_methods()) choices.emplace_back(method.name);
  }
  if (option == "kernel") choices = all_names<KernelKind>();
  if (option == "encoder") choices = all_names<EncoderKind>();
  if (option == "whitening") {
    choices = all_names<WhiteningKind>();
    choices.emplace_back("kpca");
  }
  if (option == "init")
    choices = {"kmeans", "omp-1", "random-patches", "random", "class-kmeans", "label-affinity"};
  if (option == "discrimination-reading") choices = all_names<DiscriminationReading>();
  if (option == "convention") choices = {"paper", "le", "matlab"};
  if (option == "rica-contrast") choices = {"smooth-l1", "logcosh", "exp", "sqrt"};
  if (option == "pooling-groups") choices = {"none", "topographic"};
  if (option == "landmark-choice") choices = {"kmeans", "random"};
  if (option == "loss") choices = all_names<MarginLoss>();
  if (option == "solver") choices = {"auto", "lbfgs", "adam", "fixed-point"};
  return choices;
}

}  // namespace krica
