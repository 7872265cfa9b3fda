// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/checkpoint_job.hpp"
#include "fuzz/signed_archive.hpp"
#include "krica/runtime/library.hpp"
#include "models/resolved.hpp"

using namespace krica;

namespace {

/// A checkpoint of the job with one part in it.
void write_checkpoint(const TrainingJob& job, const std::string& fingerprint,
                      const std::string& part, const std::string& content) {
  Archive archive;
  archive.put_text("kind", "krica-checkpoint");
  archive.put_text("layout", "2");
  archive.put_text("version", std::string(version()));
  archive.put_text("options", to_json(job.options));
  archive.put_text("fingerprint", fingerprint);
  archive.put_vector<std::uint8_t>(
      part, {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  archive.save(job.checkpoint);
}

}  // namespace

/// Resumes a job from a checkpoint with one part in it, the input. Its texts "job.part" and
/// "job.method" say which part of which job.
KRICA_FUZZ_TARGET(checkpoint) {
  static const support::MemoryImages images = fuzz::checkpoint_images();
  static const std::string fingerprint = krica::fingerprint(fuzz::context(), images);
  static const DataFacts facts = facts_of(images, true);
  const std::string content = fuzz::with_checksum(input);
  const Archive archive = Archive::parse(content, "input");
  const TrainingJob job{resolved(fuzz::checkpoint_options(archive.text("job.method")), facts),
                        fuzz::scratch_directory() / "job.checkpoint"};
  remove_checkpoint(job.checkpoint);
  write_checkpoint(job, fingerprint, archive.text("job.part"), content);
  train(fuzz::context(), images, job);
}
