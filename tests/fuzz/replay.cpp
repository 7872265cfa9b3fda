// SPDX-License-Identifier: BSD-3-Clause
//
// replay TARGET FILE_OR_DIRECTORY...: runs a fuzz target once over stored inputs, as a regression
// test that needs no fuzzer.
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets.hpp"

namespace {

namespace fs = std::filesystem;

constexpr long kMostKilobytes = 1L << 20;  // of memory, as for the fuzzer

std::vector<std::uint8_t> content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_in(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place)) files.push_back(entry.path());
  return files;
}

/// Peak memory; a sanitizer's own is not limited here.
bool within_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss <= kMostKilobytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: replay TARGET FILE_OR_DIRECTORY...\n"), 2;
  const krica::fuzz::Target target = krica::fuzz::targets().at(argv[1]);
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    for (const fs::path& file : files_in(argv[i])) {
      std::fprintf(stderr, "%s\n", file.c_str());  // the last one named is the one that crashed
      krica::fuzz::examine(target, content_of(file));
      ++count;
      if (!within_memory()) return std::fprintf(stderr, "more than 1 GB of memory\n"), 1;
    }
  }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
