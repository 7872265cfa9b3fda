// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "runtime/atomic_file.hpp"

namespace krica {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t apart = distance(word, candidate);
    if (apart >= least) continue;
    least = apart;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? meant : fmt::format("; did you mean '{}'?", meant);
}

std::string did_you_mean_file(const std::filesystem::path& path,
                              const std::vector<std::string>& other) {
  const std::filesystem::path parent = directory_of(path);
  std::vector<std::string> names;
  try {
    names = names_in_directory(parent);
  } catch (const std::system_error&) {
    return did_you_mean(path.string(), other);
  }
  std::erase(names, path.filename());  // a dangling link is listed but cannot be opened
  std::sort(names.begin(), names.end());
  const std::string meant = nearest(path.filename().string(), names);
  if (meant.empty()) return did_you_mean(path.string(), other);
  const std::filesystem::path whole =
      path.has_parent_path() ? parent / meant : std::filesystem::path(meant);
  return fmt::format("; did you mean '{}'?", whole.string());
}

}  // namespace krica
