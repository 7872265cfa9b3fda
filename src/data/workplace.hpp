// SPDX-License-Identifier: BSD-3-Clause
//
// A directory in which something is made that appears complete or not at all: it is made inside and
// then renamed. A mark in it tells what a killed process left from a directory of the user's.
//
//   const Workplace workplace("convert", target.string() + ".krica-part");
//   write(workplace / "set");
//   rename(workplace / "set", target);
//   workplace.remove();
#pragma once

#include <filesystem>
#include <string>

namespace krica {

class Workplace {
 public:
  /// Makes the directory, whose parent must exist, after removing what a killed process left there.
  /// Throws IoError if anything else is at the path; `operation` appears in brackets.
  Workplace(std::string operation, std::filesystem::path directory);

  std::filesystem::path operator/(const std::filesystem::path& name) const {
    return directory_ / name;
  }
  /// Throws IoError.
  void remove() const;

 private:
  std::string operation_;
  std::filesystem::path directory_;
};

/// Removes what a killed process left of a workplace. False if something else is there.
bool remove_unfinished(const std::string& operation, const std::filesystem::path& directory);

}  // namespace krica
