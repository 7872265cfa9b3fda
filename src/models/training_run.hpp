// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of every training stage.
#pragma once

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>

#include "krica/models/training.hpp"
#include "models/checkpoint.hpp"
#include "models/resolved.hpp"
#include "runtime/memory.hpp"

namespace krica {

struct TrainingRun {
  const Context& context;
  const TrainingJob& job;  ///< its options are resolved()
  Checkpoint& checkpoint;
  TrainingReport& report;
};

/// Does the work and records its duration in the report, whether it returns or throws.
template <class Work>
std::invoke_result_t<Work> timed(TrainingReport& report, std::string stage, Work work) {
  struct Note {
    std::vector<StageTime>& stages;
    std::string stage;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Note() {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      stages.push_back({std::move(stage), took.count(), peak_memory()});
    }
  } note{report.stages, std::move(stage)};
  return work();
}

}  // namespace krica
