// SPDX-License-Identifier: BSD-3-Clause
//
// One function per format, each in its own file. They return the set as stored in the files;
// open_dataset() then resizes, splits and checks, which is common to all formats. Errors as in
// open_dataset().
#pragma once

#include <filesystem>

#include "data/byte_source.hpp"
#include "data/folder_listing.hpp"
#include "data/labels.hpp"
#include "krica/data/dataset.hpp"

namespace krica {

DataSet open_cifar10(const Context& context, const std::filesystem::path& path,
                     const OpenOptions& options);
DataSet open_cifar100(const Context& context, const std::filesystem::path& path,
                      const OpenOptions& options);
DataSet open_cifar10_png(const Context& context, const std::filesystem::path& path,
                         const OpenOptions& options);
DataSet open_stl10(const Context& context, const std::filesystem::path& path,
                   const OpenOptions& options);
DataSet open_idx(const Context& context, const std::filesystem::path& path,
                 const OpenOptions& options);
/// All ranks, where they share rows, with the same listing.
DataSet open_folder(const Context& context, FolderListing listing, const OpenOptions& options);
DataSet open_npy(const Context& context, const std::filesystem::path& path,
                 const OpenOptions& options);

DataSet open_csv(const Context& context, const std::filesystem::path& path,
                 const OpenOptions& options);

/// Whether one of the first two lines contains a number.
bool looks_like_table(const ByteSourcePtr& source);

/// A label file: NPY, IDX, or text with one label per line.
RawLabels read_labels(const Context& context, const std::filesystem::path& path);

/// Detects the format of the path. Throws DataError if none is recognised, IoError if it cannot be
/// read. If the set is one level deeper, as in the archives of CIFAR and STL-10, `path` becomes
/// that directory.
DataFormat recognise(std::filesystem::path& path);

/// The names of CIFAR-10's classes.
std::vector<std::string> cifar10_class_names();

}  // namespace krica
