// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that work on one job must see the same data: each computes for itself what follows from
// sizes and labels, and waits in vain for others that found something else. Here they compare what
// they found: by a digest, and in detail only if that differs. Pixels are not read.
//
// All ranks call these where they share rows; otherwise nothing happens. If a rank found something
// else than the first, all throw the same DataError, about the first such rank.
#pragma once

#include <filesystem>
#include <vector>

#include "data/byte_source.hpp"
#include "data/folder_listing.hpp"
#include "krica/data/dataset.hpp"

namespace krica {

/// The format and the options.
void require_same_format(const Context& context, const std::filesystem::path& path,
                         DataFormat format, const OpenOptions& options);

/// Class directories, and names and sizes of files.
void require_same_files(const Context& context, const FolderListing& listing);

/// Sizes, shapes, labels and class names, and names and sizes of the files read.
void require_same_data(const Context& context, const std::filesystem::path& path,
                       const DataSet& data, const std::vector<FileSize>& files);

/// The content of a file, such as a model, even where the context shares no rows.
void require_same_content(const Context& context, const std::filesystem::path& file);

}  // namespace krica
