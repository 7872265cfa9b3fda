// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a folder and the classes that its directories name, before any file is opened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "krica/data/dataset.hpp"

namespace krica {

struct ImageFile {
  std::filesystem::path path;
  std::string name;  // for messages: class/file
  int label = 0;
  ImageShape shape = {};
  Index decoding_bytes = 0;
};

struct ListedDirectory {
  std::filesystem::path path;
  std::vector<ImageFile> files;
};

/// The training images, for example.
struct ListedPart {
  std::vector<ListedDirectory> directories;
  bool labelled = false;
};

struct FolderListing {
  std::filesystem::path path;
  std::vector<std::string> classes;
  ListedPart train;
  ListedPart test;
  ListedPart unlabelled;
  bool in_parts = false;             // in directories train and test
  std::vector<std::string> ignored;  // notes on what does not fit the layout
};

/// Throws DataError for a layout that is not that of a data set, IoError.
FolderListing list_folder(const std::filesystem::path& path, const OpenOptions& options);

/// All files of a listing, with their sizes and names that are relative to the folder.
std::vector<FileSize> files_of(const Context& context, const FolderListing& listing);

}  // namespace krica
