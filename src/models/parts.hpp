// SPDX-License-Identifier: BSD-3-Clause
//
// A pipeline's options, translated for its parts.
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/joint/trainer.hpp"
#include "krica/models/options.hpp"
#include "krica/patches/sample_units.hpp"

namespace krica {

BasisOptions basis_of(const PipelineOptions& options);
JointOptions joint_of(const PipelineOptions& options);
/// For options that resolved() gave for samples.
SampleUnits::Options units_of(const PipelineOptions& settled);

}  // namespace krica
