// SPDX-License-Identifier: BSD-3-Clause
#include "models/checkpoint.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "krica/models/training.hpp"
#include "krica/runtime/library.hpp"
#include "models/flat_object.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/check.hpp"
#include "runtime/io_error.hpp"
#include "runtime/own_file.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

using nlohmann::json;

constexpr std::string_view kKind = "krica-checkpoint";
const std::string kFeaturesDone = "features_done";
constexpr std::chrono::seconds kBetweenWrites{2};

const std::string kCpu = "the CPU";

/// The options that differ.
std::string difference(json saved, const json& now) {
  std::string text;
  for (const auto& [name, value] : now.items()) {
    if (saved[name] == value) continue;
    text += fmt::format(" {} (saved {}, now {})", name, saved[name].dump(), value.dump());
  }
  return text;
}

/// What is at the path, for all ranks; false if nothing is.
bool load(const Context& context, const std::filesystem::path& path, Archive& archive) {
  if (context.ranks() == nullptr) {
    if (!std::filesystem::exists(path)) return false;
    archive = Archive::load(path);
    return true;
  }
  std::string bytes;
  on_first_rank(context, [&] {
    if (std::filesystem::exists(path)) bytes = Archive::load(path).bytes();
  });
  std::uint64_t length = bytes.size();
  context.ranks()->broadcast(0, &length, sizeof(length));
  bytes.resize(length);
  context.ranks()->broadcast(0, bytes.data(), bytes.size());
  if (bytes.empty()) return false;
  archive = Archive::parse(bytes, path.string());
  return true;
}

}  // namespace

std::string device_text(const Context& context) {
  if (!context.cuda_device()) return kCpu;
  return fmt::format("a GPU in {}", name_of(context.precision()));
}

Checkpoint::Checkpoint(const Context& context, std::filesystem::path path,
                       const PipelineOptions& options, const std::string& fingerprint)
    : path_(std::move(path)) {
  if (!active()) return;
  // Before the work that comes before the features; ranks keep none.
  if (context.ranks() == nullptr) require_own_file("checkpoint", features_path());
  const std::string wanted = to_json(options);
  const std::string device = device_text(context);
  writes_ = is_first(context);
  if (load(context, path_, archive_)) check(wanted, device, fingerprint);
  archive_.put_text("kind", std::string(kKind));
  archive_.put_text("layout", std::string(kCheckpointLayout));
  archive_.put_text("version", std::string(version()));
  archive_.put_text("options", wanted);
  archive_.put_text("device", device);
  archive_.put_text("fingerprint", fingerprint);
}

void Checkpoint::check(const std::string& options, const std::string& device,
                       const std::string& fingerprint) {
  const std::string file = path_.string();
  if (!archive_.has_text("kind") || archive_.text("kind") != kKind)
    throw DataError(fmt::format("[checkpoint] {} is not a checkpoint; move it away", file));
  const std::string layout = archive_.has_text("layout") ? archive_.text("layout") : "1";
  require(
      archive_.text("version") == version() && layout == kCheckpointLayout, "checkpoint",
      "{} was made by krica {} (checkpoint layout {}), this is {} (layout {}), whose results may "
      "differ in their last bits; remove it to start over",
      file, archive_.text("version"), layout, version(), kCheckpointLayout);
  const std::string other =
      difference(flat_object(archive_.text("options"), "checkpoint " + file), json::parse(options));
  require(other.empty(), "checkpoint", "{} was made with other options:{}; remove it to start over",
          file, other);
  const std::string began_on = archive_.has_text("device") ? archive_.text("device") : kCpu;
  require(began_on == device, "checkpoint",
          "{} was made on {}, this is {}, whose results differ in their last bits; continue there, "
          "or remove it to start over",
          file, began_on, device);
  if (archive_.text("fingerprint") != fingerprint) {
    throw DataError(
        fmt::format("[checkpoint] {} was made with other data; remove it to start over", file));
  }
  resumed_ = true;
}

void Checkpoint::put(const std::string& name, const Archive& part) {
  const std::string bytes = part.bytes();
  archive_.put_vector<std::uint8_t>(
      name, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::optional<Archive> Checkpoint::get(const std::string& name) const {
  if (!archive_.has(name)) return std::nullopt;
  const auto bytes = archive_.vector<std::uint8_t>(name);
  return Archive::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                        path_.string());
}

void Checkpoint::store_state(const std::string& stage, const Archive& state) {
  if (!active()) return;
  put(solver_of(stage), state);
  if (due()) write();
}

std::optional<Archive> Checkpoint::state(const std::string& stage) const {
  return get(solver_of(stage));
}

SolverHooks Checkpoint::solver_hooks(const std::string& stage) {
  SolverHooks hooks;
  if (!active()) return hooks;
  hooks.checkpoint_due = [this] { return due(); };
  hooks.checkpoint = [this, stage](const Archive& state) {
    put(solver_of(stage), state);
    write();
  };
  return hooks;
}

Index Checkpoint::features_done() const {
  return archive_.has(kFeaturesDone) ? archive_.scalar<std::int64_t>(kFeaturesDone) : 0;
}

void Checkpoint::store_features_done(Index images) {
  archive_.put_scalar<std::int64_t>(kFeaturesDone, images);
  write();
}

bool Checkpoint::due() const {
  return active() && std::chrono::steady_clock::now() - last_write_ >= kBetweenWrites;
}

void Checkpoint::write_progress() {
  if (active() && archive_.has_tensors()) write();
}

void Checkpoint::write() {
  if (writes_) archive_.save(path_);
  last_write_ = std::chrono::steady_clock::now();
}

void remove_checkpoint(const std::filesystem::path& path) {
  // One that stays would be taken for that of the next training.
  for (const std::filesystem::path& file : {path, Checkpoint::features_path(path)}) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) io_error("checkpoint", file, "cannot remove", error.value());
  }
  remove_leftovers(path);
}

std::string agreed_fingerprint(const Context& context, const ImageSet& images) {
  if (context.ranks() == nullptr) return fingerprint(context, images);
  std::string hash(64, '0');
  on_first_rank(context, [&] { hash = fingerprint(context, images); });
  context.ranks()->broadcast(0, hash.data(), hash.size());
  return hash;
}

}  // namespace krica
