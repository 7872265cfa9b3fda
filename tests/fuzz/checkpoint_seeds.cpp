// SPDX-License-Identifier: BSD-3-Clause
//
// checkpoint_seeds DIRECTORY: what jobs keep in their checkpoints, part by part, as inputs for the
// target "checkpoint".
#include <cstdio>
#include <vector>

#include "fuzz/checkpoint_job.hpp"
#include "fuzz/support.hpp"
#include "krica/runtime/error.hpp"

using namespace krica;

namespace {

/// Trains, and stops at the given report of a solver; 0: never.
void train_until(const TrainingJob& job, int reports) {
  int seen = 0;
  const Context* running = nullptr;
  const Context context({.threads = 1, .progress = [&](const Progress&) {
                           if (++seen == reports) running->cancel();
                         }});
  running = &context;
  try {
    train(context, fuzz::checkpoint_images(), job);
  } catch (const Cancelled&) {
  }
}

void write_parts(const TrainingJob& job, const std::filesystem::path& directory) {
  if (!std::filesystem::exists(job.checkpoint)) return;
  const Archive checkpoint = Archive::load(job.checkpoint);
  for (const char* part :
       {"basis", "basis_state", "svm_search_state", "temperature_state", "svm_state", "joint",
        "joint_training_state", "joint_evidence_state", "dictionary_state", "layer1",
        "layer1_state", "layer2", "layer2_state"}) {
    if (!checkpoint.has(part)) continue;
    const auto bytes = checkpoint.vector<std::uint8_t>(part);
    Archive seed = Archive::parse(fuzz::text_of(bytes), part);
    seed.put_text("job.part", part);
    seed.put_text("job.method", job.options.method);
    seed.save(directory / (job.options.method + "-" + part));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: checkpoint_seeds DIRECTORY\n"), 2;
  const std::filesystem::path directory = argv[1];
  for (const char* method : {"krica", "max-margin-krica", "sparse-autoencoder", "scspm", "ksvd",
                             "lc-ksvd", "llc", "improved-lcc", "conv-dbn"}) {
    for (const int reports : {2, 4, 6, 8, 12, 16, 0}) {
      const TrainingJob job{fuzz::checkpoint_options(method), directory / "job"};
      train_until(job, reports);
      write_parts(job, directory);
      remove_checkpoint(job.checkpoint);
    }
  }
}
