// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory.hpp"

#include <fstream>
#include <string>

namespace krica {

std::int64_t peak_memory() {
  const std::string field = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stoll(line.substr(field.size())) * 1024;
  }
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace krica
