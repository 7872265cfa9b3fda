// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "models/checkpoint.hpp"
#include "runtime/digest.hpp"

namespace krica {
namespace {

/// What options stand for that are not set: a checkpoint only says that they are not.
std::string defaults() {
  std::string text = to_json(PipelineOptions{}) + "\n";
  for (const BasisMethod& method : basis_methods()) {
    text += fmt::format(
        "{}: encoder {}, unit norm {}, gamma {}, init {}, sparsity {} {}, whitening {} {}, samples "
        "{} {} {}, iterations {}, components {}, patches {}, pool {} {} {}\n",
        method.name, method.encoder, method.unit_norm, method.patch_gamma, method.init,
        method.sparsity, method.sparsity_target, method.whitening, method.whitening_share,
        method.sample_encoder, method.sample_whitening,
        method.sample_unit_norm.value_or(method.unit_norm), method.iterations, method.components,
        method.patches, method.pool, method.pool_function, method.feature_scaling);
  }
  return text;
}

TEST(CheckpointLayout, ChangesWithTheDefaults) {
  const std::string digest = sha256_of({defaults()}).substr(0, 16);
  EXPECT_EQ(fmt::format("layout {}: {}", kCheckpointLayout, digest), "layout 5: bbc1dfb3237b95ad")
      << "A default has changed, so a job would not end as it was begun. Increment "
         "kCheckpointLayout and put the new line here.\n"
      << defaults();
}

}  // namespace
}  // namespace krica
