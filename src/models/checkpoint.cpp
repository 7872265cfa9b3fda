// SPDX-License-Identifier: BSD-3-Clause
#include "models/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "krica/models/training.hpp"
#include "krica/runtime/version.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

using nlohmann::json;

constexpr std::string_view kKind = "krica-checkpoint";
/// Counts up whenever an option's default or an automatic choice changes.
constexpr std::string_view kDefaults = "4";
constexpr std::chrono::seconds kBetweenWrites{2};

/// Options that differ, except those that the saved job did not know yet.
std::string difference(const json& saved, const json& now) {
  std::string text;
  for (const auto& [name, value] : now.items()) {
    if (!saved.contains(name) || saved[name] == value) continue;
    text += fmt::format(" {} (saved {}, now {})", name, saved[name].dump(), value.dump());
  }
  return text;
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path path, const PipelineOptions& options,
                       const std::string& fingerprint)
    : path_(std::move(path)) {
  const std::string wanted = to_json(options);
  if (active() && std::filesystem::exists(path_)) {
    archive_ = Archive::load(path_);
    if (!archive_.has_text("kind") || archive_.text("kind") != kKind) {
      throw DataError(
          fmt::format("[checkpoint] {} is not a checkpoint; move it away", path_.string()));
    }
    require(archive_.text("version") == version(), "checkpoint",
            "{} was made by krica {}, this is {}, whose results may differ in their last bits; "
            "remove it to start anew",
            path_.string(), archive_.text("version"), version());
    const std::string other =
        difference(json::parse(archive_.text("options")), json::parse(wanted));
    require(other.empty(), "checkpoint",
            "{} was made with other options:{}; remove it to start anew", path_.string(), other);
    if (archive_.text("fingerprint") != fingerprint) {
      throw DataError(fmt::format(
          "[checkpoint] {} was made with other data; remove it to start anew", path_.string()));
    }
    resumed_ = true;
  }
  archive_.put_text("kind", std::string(kKind));
  archive_.put_text("version", std::string(version()));
  if (!resumed_) archive_.put_text("defaults", std::string(kDefaults));
  archive_.put_text("options", wanted);
  archive_.put_text("fingerprint", fingerprint);
}

bool Checkpoint::holds_progress() const {
  constexpr std::array<const char*, 5> kLearned = {"solver", "atoms", "svm_search", "temperature",
                                                   "svm_solver"};
  return std::any_of(kLearned.begin(), kLearned.end(),
                     [&](const char* name) { return archive_.has(name); });
}

void Checkpoint::put_state(const std::string& name, const Archive& state) {
  const std::string bytes = state.bytes();
  archive_.put_vector<std::uint8_t>(
      name, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

Archive Checkpoint::state(const std::string& name) const {
  const auto bytes = archive_.vector<std::uint8_t>(name);
  return Archive::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                        path_.string());
}

std::optional<Archive> Checkpoint::state_if(const std::string& name) const {
  if (!archive_.has(name)) return std::nullopt;
  return state(name);
}

bool Checkpoint::due() const {
  return active() && std::chrono::steady_clock::now() - last_write_ >= kBetweenWrites;
}

void Checkpoint::write() {
  if (!active()) return;
  archive_.save(path_);
  last_write_ = std::chrono::steady_clock::now();
}

PipelineOptions continued(const PipelineOptions& options, const std::filesystem::path& checkpoint) {
  if (checkpoint.empty() || !std::filesystem::exists(checkpoint)) return options;
  const Archive archive = Archive::load(checkpoint);
  if (!archive.has_text("options")) return options;  // refused later, in words
  if (archive.has_text("defaults") && archive.text("defaults") == kDefaults) return options;
  const json saved = json::parse(archive.text("options"));
  json merged = json::parse(to_json(options));
  for (const auto& [name, value] : merged.items()) {
    if (value == "auto" && saved.contains(name)) merged[name] = saved[name];
  }
  return options_from_json(merged.dump());
}

void remove_checkpoint(const std::filesystem::path& path) {
  std::error_code ignored;  // nothing to remove is fine
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(Checkpoint::features_path(path), ignored);
}

}  // namespace krica
