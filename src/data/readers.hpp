// SPDX-License-Identifier: BSD-3-Clause
//
// One function per format; each in its own file. They give the set as it lies in the files:
// open_dataset() then resizes, splits and checks what all formats share. Errors as open_dataset().
#pragma once

#include <filesystem>

#include "data/byte_source.hpp"
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
DataSet open_folder(const Context& context, const std::filesystem::path& path,
                    const OpenOptions& options);
DataSet open_npy(const Context& context, const std::filesystem::path& path,
                 const OpenOptions& options);

DataSet open_csv(const Context& context, const std::filesystem::path& path,
                 const OpenOptions& options);

/// True where one of the first two lines holds a number.
bool looks_like_table(const ByteSourcePtr& source);

/// A file of labels: NPY, IDX, or text with one per line.
RawLabels read_labels(const Context& context, const std::filesystem::path& path);

/// What the path holds. Throws DataError where nothing is recognised, IoError where it cannot be
/// read. `path` becomes the directory inside where the set lies one level deeper, as in the
/// archives of CIFAR and STL-10.
DataFormat recognise(std::filesystem::path& path);

/// The names of CIFAR-10's classes.
std::vector<std::string> cifar10_class_names();

}  // namespace krica
