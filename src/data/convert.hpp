// SPDX-License-Identifier: BSD-3-Clause
//
// Writing data sets in another format.
#pragma once

#include <filesystem>

#include "krica/data/dataset.hpp"

namespace krica {

/// Writes all parts of `data` into the directory `path`, which must be new or empty:
///   cifar10   bytes, 32 × 32 in colour, labelled, at most 10 classes; at most five training files
///   idx       bytes, grey, labelled, at most 256 classes; not compressed
///   npy       everything; train_x.npy, train_y.npy, test_x.npy, test_y.npy, unlabelled_x.npy
///   folder    bytes; PNG files in class directories, below train/ and test/ if there is a test
///             part. When the folder is read back, its classes are the directory names
///             (directory_name() of the class names), in alphabetical order.
/// Numeric labels keep their values in npy, and in idx if they are 0 to 255; other classes are
/// numbered from 0 and named in class_names.txt.
/// The set appears complete or not at all: it is written in PATH.krica-part and renamed; what a
/// killed conversion left there is removed. Throws InvalidArgument if the format cannot hold the
/// set, IoError if writing fails, another process is writing there, or PATH.krica-part is not
/// krica's.
void convert(const Context& context, const DataSet& data, const std::filesystem::path& path,
             DataFormat format);

}  // namespace krica
