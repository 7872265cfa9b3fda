// SPDX-License-Identifier: BSD-3-Clause
#include "models/checkpoint.hpp"

#include "fuzz/checkpoint_job.hpp"
#include "fuzz/signed_archive.hpp"
#include "krica/runtime/error.hpp"
#include "models/resolved.hpp"

using namespace krica;

namespace {

/// What a checkpoint keeps as the result of a stage.
struct Part {
  const Archive& content;
  void save(Archive& target) const { target = content; }
};

/// The checkpoint's own header is sound, so it must not be refused for that: the part would not be
/// looked at.
void resume(const ImageSet& images, const TrainingJob& job) {
  TrainingReport report;
  try {
    train(fuzz::context(), images, job, &report);
  } catch (const std::exception& error) {
    const bool refused = std::string_view(error.what()).starts_with("[checkpoint]");
    if (refused && !report.resumed) fuzz::fail(error.what());
    throw;
  }
}

}  // namespace

/// Resumes a job from a checkpoint with one part in it, the input. Its texts "job.part" and
/// "job.method" say which part of which job.
KRICA_FUZZ_TARGET(checkpoint) {
  static const support::MemoryImages images = fuzz::checkpoint_images();
  static const std::string fingerprint = krica::fingerprint(fuzz::context(), images);
  static const DataFacts facts = facts_of(images, true);
  const Archive archive = Archive::parse(fuzz::with_checksum(input), "input");
  const TrainingJob job{resolved(fuzz::checkpoint_options(archive.text("job.method")), facts),
                        fuzz::scratch_directory() / "job.checkpoint"};
  remove_checkpoint(job.checkpoint);
  Checkpoint(fuzz::context(), job.checkpoint, job.options, fingerprint)
      .store(archive.text("job.part"), Part{archive});
  resume(images, job);
}
