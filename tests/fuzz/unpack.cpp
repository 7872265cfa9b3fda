// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "data/fetch.hpp"
#include "fuzz/support.hpp"
#include "krica/runtime/error.hpp"

using namespace krica;

namespace {

void check_only(const std::filesystem::path& directory,
                const std::set<std::filesystem::path>& allowed) {
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (!allowed.contains(entry.path().filename())) fuzz::fail("a file lies outside");
}

}  // namespace

/// Nothing may appear outside of the target directory.
KRICA_FUZZ_TARGET(unpack) {
  const auto archive = fuzz::scratch_file("box/archive", input);
  const auto box = archive.parent_path();
  const auto inside = box / "inside";
  try {
    unpack(fuzz::context(), archive, inside);
  } catch (const DataError&) {
  } catch (const IoError&) {
  }
  static const std::set<std::filesystem::path> beside = {"archive", "inside"};
  static const std::set<std::filesystem::path> around = {"box"};
  check_only(box, beside);
  check_only(fuzz::scratch_directory(), around);
  std::filesystem::remove_all(inside);
}
