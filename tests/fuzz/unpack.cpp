// SPDX-License-Identifier: BSD-3-Clause
#include "data/fetch.hpp"
#include "fuzz/support.hpp"
#include "krica/runtime/error.hpp"

using namespace krica;

/// Nothing may appear outside of the target directory.
KRICA_FUZZ_TARGET(unpack) {
  const auto box = fuzz::scratch_directory() / "box";
  std::filesystem::remove_all(box);
  const auto archive = fuzz::scratch_file("box/archive", input);
  try {
    unpack(fuzz::context(), archive, box / "inside");
  } catch (const DataError&) {
  } catch (const IoError&) {
  }
  for (const auto& entry : std::filesystem::directory_iterator(box)) {
    const auto name = entry.path().filename();
    if (name != "archive" && name != "inside") fuzz::fail("a file lies outside");
  }
}
