// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/search_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "krica/models/training.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/library.hpp"
#include "models/checkpoint.hpp"
#include "models/flat_object.hpp"

namespace krica {
namespace {

using nlohmann::json;

constexpr const char* kKind = "krica-tune-checkpoint";
constexpr int kDeepest = 8;  // grids and finished settings have fewer levels

json empty_content(const SearchIdentity& job) {
  return {{"version", version()}, {"layout", kCheckpointLayout}, {"options", job.options},
          {"grid", job.grid},     {"folds", job.folds},          {"fingerprint", job.fingerprint},
          {"device", job.device}, {"finished", json::object()}};
}

std::string difference(const json& saved, const json& now) {
  std::string text;
  for (const auto& [name, value] : now.items()) {
    const json before = saved.value(name, json());
    if (before != value)
      text += fmt::format(" {} (saved {}, now {})", name, before.dump(), value.dump());
  }
  return text;
}

/// Accuracies are fractions of images, or null for a fold that is left.
bool are_accuracies(const json& values, int folds) {
  return values.is_array() && std::ssize(values) <= folds &&
         std::all_of(values.begin(), values.end(), [](const json& value) {
           return value.is_null() || (value.is_number() && value >= 0 && value <= 1);
         });
}

/// What is wrong with the finished settings; empty if nothing is.
std::string damage_in(const json& finished, int folds) {
  if (!finished.is_object()) return fmt::format("finished is {}", finished.dump());
  for (const auto& [setting, result] : finished.items()) {
    if (!result.is_object()) return fmt::format("the result of {} is {}", setting, result.dump());
    const json accuracies = result.value("accuracies", json::array());
    if (!are_accuracies(accuracies, folds)) {
      return fmt::format("the accuracies of {} are {}, not up to {} numbers from 0 to 1", setting,
                         accuracies.dump(), folds);
    }
    const json error = result.value("error", json(""));
    if (!error.is_string()) return fmt::format("the error of {} is {}", setting, error.dump());
  }
  return {};
}

}  // namespace

SearchCheckpoint::SearchCheckpoint(std::filesystem::path path, const SearchIdentity& job,
                                   bool writes)
    : path_(std::move(path)), content_(empty_content(job)), writes_(writes) {
  if (!std::filesystem::exists(path_)) {
    if (writes_) remove_checkpoint(fold_path());  // from another search whose file is gone
    return;
  }
  const Archive archive = Archive::load(path_);
  if (!archive.has_text("kind") || archive.text("kind") != kKind) {
    throw DataError(
        fmt::format("[tune] {} is not a checkpoint of krica tune; give another "
                    "--checkpoint, or move the file away",
                    path_.string()));
  }
  read(archive, job);
  resumed_ = true;
}

void SearchCheckpoint::read(const Archive& archive, const SearchIdentity& job) {
  const auto refuse = [&](std::string_view what) {
    throw DataError(
        fmt::format("[tune] {} is damaged: {}; remove it to start over, or give another "
                    "--checkpoint",
                    path_.string(), what));
  };
  try {
    content_ = shallow_object(archive.text("search"), "search", kDeepest);
  } catch (const DataError& error) {
    refuse(error.what());
  }
  try {
    check(job);
    const std::string damage = damage_in(content_.at("finished"), job.folds);
    if (!damage.empty()) refuse(damage);
  } catch (const json::exception& error) {
    refuse(error.what());
  }
}

void SearchCheckpoint::check(const SearchIdentity& job) const {
  json before = content_.at("options");
  json now = job.options;
  before["grid"] = content_.at("grid");
  now["grid"] = job.grid;
  before["folds"] = content_.at("folds");
  now["folds"] = job.folds;
  before["device"] = content_.value("device", "the CPU");
  now["device"] = job.device;
  before["krica"] = content_.at("version");
  now["krica"] = version();
  before["layout"] = content_.value("layout", "none");
  now["layout"] = kCheckpointLayout;
  const std::string differing = difference(before, now);
  if (!differing.empty()) {
    throw InvalidArgument(
        fmt::format("[tune] {} was made with other options:{}; remove it to "
                    "start over, or give another --checkpoint",
                    path_.string(), differing));
  }
  if (content_.at("fingerprint") != job.fingerprint) {
    throw DataError(
        fmt::format("[tune] {} was made with other data; remove it to start over, or "
                    "give another --checkpoint",
                    path_.string()));
  }
}

json SearchCheckpoint::finished(const json& setting) const {
  return content_["finished"].value(setting.dump(), json::object());
}

/// Ranks finish folds in any order: the array has null for those between.
std::vector<int> SearchCheckpoint::folds_left(const json& setting) const {
  if (!error(setting).empty()) return {};
  const json known = finished(setting).value("accuracies", json::array());
  std::vector<int> left;
  for (int fold = 0; fold < content_["folds"].get<int>(); ++fold) {
    const auto place = static_cast<std::size_t>(fold);
    if (place >= known.size() || known[place].is_null()) left.push_back(fold);
  }
  return left;
}

std::vector<double> SearchCheckpoint::accuracies(const json& setting) const {
  return finished(setting).value("accuracies", std::vector<double>());
}

std::string SearchCheckpoint::error(const json& setting) const {
  return finished(setting).value("error", std::string());
}

void SearchCheckpoint::keep_fold(const json& setting, int fold, double accuracy) {
  content_["finished"][setting.dump()]["accuracies"][static_cast<std::size_t>(fold)] = accuracy;
  write();
}

void SearchCheckpoint::keep_error(const json& setting, const std::string& error) {
  content_["finished"][setting.dump()]["error"] = error;
  write();
}

void SearchCheckpoint::keep_interrupted_fold() const {
  if (std::filesystem::exists(fold_path())) write();
}

void SearchCheckpoint::write() const {
  if (!writes_) return;
  Archive archive;
  archive.put_text("kind", kKind);
  archive.put_text("search", content_.dump());
  archive.save(path_);
}

void SearchCheckpoint::remove() const {
  if (!writes_) return;
  std::error_code ignored;  // nothing to remove is fine
  std::filesystem::remove(path_, ignored);
  remove_checkpoint(fold_path());
}

}  // namespace krica
