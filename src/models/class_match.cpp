// SPDX-License-Identifier: BSD-3-Clause
#include "models/class_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "data/class_names.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/nearest.hpp"

namespace krica {
namespace {

constexpr std::size_t kMostListed = 8;
constexpr int kUnknown = -1;

using Places = std::unordered_map<std::string, int>;

/// Every name, and its directory form unless that is another class's name.
Places places_of(const std::vector<std::string>& known) {
  Places places;
  for (std::size_t c = 0; c < known.size(); ++c) places.emplace(known[c], static_cast<int>(c));
  for (std::size_t c = 0; c < known.size(); ++c)
    places.emplace(directory_name(known[c]), static_cast<int>(c));
  return places;
}

int place_of(const Places& places, const std::string& name) {
  for (const std::string& form : {name, directory_name(name)}) {
    const auto found = places.find(form);
    if (found != places.end()) return found->second;
  }
  return kUnknown;
}

/// "Sandals (did you mean 'Sandal'?)". Not for numbers, which are all close to each other.
std::vector<std::string> with_nearest(std::vector<std::string> names,
                                      const std::vector<std::string>& known) {
  for (std::string& name : names) {
    const std::string meant = nearest(name, known);
    if (!meant.empty() && name.find_first_not_of("+-.0123456789") != std::string::npos)
      name += fmt::format(" (did you mean '{}'?)", meant);
  }
  return names;
}

}  // namespace

ClassMatch match_classes(const ImageSet& images, const std::vector<std::string>& known) {
  const Places places = places_of(known);
  std::vector<int> place;
  for (const std::string& name : images.class_names()) place.push_back(place_of(places, name));
  ClassMatch match;
  std::vector<bool> listed_already(place.size(), false);
  for (const int label : images.labels()) {
    const auto c = static_cast<std::size_t>(label);
    match.labels.push_back(place[c]);
    if (place[c] != kUnknown) continue;
    ++match.unknown_images;
    if (!listed_already[c]) match.unknown.push_back(images.class_names()[c]);
    listed_already[c] = true;
  }
  std::sort(match.unknown.begin(), match.unknown.end());
  return match;
}

std::vector<int> labels_known_to(const std::vector<std::string>& known, const ImageSet& images,
                                 const std::string& operation) {
  ClassMatch match = match_classes(images, known);
  if (match.unknown.empty()) return std::move(match.labels);
  throw DataError(fmt::format(
      "[{}] {} of {} {} belong to classes that the model does not know: {}; it knows {}", operation,
      match.unknown_images, images.size(), images.shape().is_sample() ? "samples" : "images",
      listed(with_nearest(match.unknown, known)), listed(known)));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = names.size() <= kMostListed + 1 ? names.size() : kMostListed;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace krica
