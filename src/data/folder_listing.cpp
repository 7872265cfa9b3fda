// SPDX-License-Identifier: BSD-3-Clause
#include "data/folder_listing.hpp"

#include <algorithm>

#include "data/errors.hpp"
#include "data/folder_files.hpp"
#include "data/listing.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

void ignore(FolderListing& listing, std::size_t count, std::string_view one,
            std::string_view several) {
  if (count == 0) return;
  listing.ignored.push_back(fmt::format("ignored {} {}", count, count == 1 ? one : several));
}

ListedPart list_classes(FolderListing& listing, const fs::path& directory) {
  const std::vector<std::string>& classes = listing.classes;
  ListedPart part;
  part.labelled = true;
  std::size_t deeper = 0;
  for (const std::string& name : list_directory("folder", directory).directories) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      data_error("folder", (directory.filename() / name).string(),
                 "the training part has no class '{}'{}", name, did_you_mean(name, classes));
    }
    const Listing inside = list_directory("folder", directory / name);
    deeper += inside.directories.size();
    ListedDirectory listed{directory / name, {}};
    for (const std::string& file : inside.files) {
      listed.files.push_back({.path = directory / name / file,
                              .name = fmt::format("{}/{}", name, file),
                              .label = static_cast<int>(found - classes.begin())});
    }
    part.directories.push_back(std::move(listed));
  }
  ignore(listing, deeper, "directory inside a class directory",
         "directories inside class directories");
  return part;
}

ListedPart list_flat(const fs::path& directory) {
  ListedDirectory listed{directory, {}};
  for (const std::string& file : list_directory("folder", directory).files)
    listed.files.push_back({.path = directory / file, .name = file});
  return {{std::move(listed)}};
}

void list_parts(FolderListing& listing) {
  const fs::path& path = listing.path;
  listing.in_parts = true;
  listing.classes = list_directory("folder", path / "train").directories;
  if (listing.classes.empty())
    data_error("folder", (path / "train").string(), "there are no class directories in it");
  listing.train = list_classes(listing, path / "train");
  if (fs::is_directory(path / "test")) listing.test = list_classes(listing, path / "test");
  if (fs::is_directory(path / "unlabelled")) listing.unlabelled = list_flat(path / "unlabelled");
}

void list_one_part(FolderListing& listing, std::vector<std::string> classes,
                   const OpenOptions& options) {
  if (classes.size() == 1 && !options.one_class_allowed) {
    data_error("folder", listing.path.string(),
               "one class only, '{}'; at least two class directories are needed, or the images "
               "directly in the directory to read them without classes",
               classes[0]);
  }
  listing.classes = std::move(classes);
  listing.train =
      listing.classes.empty() ? list_flat(listing.path) : list_classes(listing, listing.path);
}

}  // namespace

FolderListing list_folder(const fs::path& path, const OpenOptions& options) {
  FolderListing listing;
  listing.path = path;
  if (!fs::is_directory(path)) {
    listing.train = {{{path, {{.path = path, .name = path.filename().string()}}}}};
    return listing;
  }
  Listing top = list_directory("folder", path);
  if (top.files.empty() && top.directories.empty())
    data_error("folder", path.string(), "the directory is empty");
  if (!top.directories.empty()) {
    const auto outside = std::count_if(top.files.begin(), top.files.end(), has_image_ending);
    ignore(listing, static_cast<std::size_t>(outside), "image file outside the class directories",
           "image files outside the class directories");
  }
  if (fs::is_directory(path / "train")) {
    list_parts(listing);
  } else {
    list_one_part(listing, std::move(top.directories), options);
  }
  return listing;
}

std::vector<FileSize> files_of(const Context& context, const FolderListing& listing) {
  std::vector<FileSize> files;
  for (const ListedPart* part : {&listing.train, &listing.test, &listing.unlabelled}) {
    for (const ListedDirectory& directory : part->directories) {
      const fs::path relative = directory.path.lexically_relative(listing.path);
      for (const ImageFile& file : directory.files)
        files.push_back({(relative / file.path.filename()).lexically_normal().string()});
    }
  }
  const fs::path root = fs::is_directory(listing.path) ? listing.path : listing.path.parent_path();
  parallel_for(context, std::ssize(files), [&](Index i) {
    FileSize& file = files[static_cast<std::size_t>(i)];
    file.size = static_cast<Index>(fs::file_size(root / file.name));
  });
  return files;
}

}  // namespace krica
