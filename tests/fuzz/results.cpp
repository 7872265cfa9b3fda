// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/results.hpp"

#include "experiments/search_checkpoint.hpp"
#include "fuzz/support.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/library.hpp"
#include "models/checkpoint.hpp"

using namespace krica;

namespace {

/// Resumes a search from a checkpoint with these results, a JSON text.
void resume_search(std::string_view finished) {
  const nlohmann::json settings = {{{"gamma", 1}}, {{"gamma", 2}}};
  const SearchIdentity job = {{{"method", "rica"}}, settings, 2, "fingerprint", "the CPU"};
  nlohmann::json content = {{"version", version()},   {"layout", kCheckpointLayout},
                            {"options", job.options}, {"grid", job.grid},
                            {"folds", job.folds},     {"fingerprint", job.fingerprint},
                            {"device", job.device}};
  std::string text = content.dump();
  text.pop_back();
  Archive archive;
  archive.put_text("kind", "krica-tune-checkpoint");
  archive.put_text("search", text + ", \"finished\": " + std::string(finished) + "}");
  const std::filesystem::path path = fuzz::scratch_directory() / "search";
  archive.save(path);
  const SearchCheckpoint checkpoint(path, job, false);
  for (const nlohmann::json& setting : settings) {
    const std::string error = checkpoint.error(setting);
    if (!error.empty() || !checkpoint.folds_left(setting).empty()) continue;
    for (const double accuracy : checkpoint.accuracies(setting))
      if (!(accuracy >= 0 && accuracy <= 1)) fuzz::fail("an accuracy is no fraction");
  }
}

}  // namespace

KRICA_FUZZ_TARGET(results) {
  const int choice = fuzz::take_choice(input) % 4;
  if (choice == 2) return resume_search(fuzz::text_of(input));
  if (choice == 0) {
    ResultsFile results(fuzz::scratch_file("results.jsonl", input));
    results.forget_failures();
    return;
  }
  const ResultRow row = row_from_json(std::string(fuzz::text_of(input)), "input");
  const std::string text = to_json(row);
  if (to_json(row_from_json(text, "again")) != text) fuzz::fail("a row changes on its way");
}
