// SPDX-License-Identifier: BSD-3-Clause
#include "krica/data/download.hpp"

#include <algorithm>

#include "data/errors.hpp"
#include "data/fetch.hpp"
#include "data/remote_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

std::vector<RemoteSet> remote_sets() {
  return {
      {{"fashion-mnist", "70,000 grey images of clothing, 28 x 28, 10 classes; 30 MB", "MIT"},
       {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
       {{"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
        {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"},
        {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"},
        {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"}}},
      {{"mnist", "70,000 grey handwritten digits, 28 x 28, 10 classes; 12 MB", "CC BY-SA 3.0"},
       {"http://yann.lecun.com/exdb/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/"},
       {{"train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"},
        {"train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"},
        {"t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"},
        {"t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"}}},
      {{"cifar10", "60,000 colour images, 32 x 32, 10 classes; 170 MB", "none stated"},
       {"https://www.cs.toronto.edu/~kriz/"},
       {{"cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"}},
       "",
       "cifar-10-batches-bin"},
      {{"stl10",
        "13,000 labelled and 100,000 unlabelled colour images, 96 x 96, 10 classes; 2.6 GB",
        "none stated; images from ImageNet"},
       {"http://ai.stanford.edu/~acoates/stl10/"},
       {{"stl10_binary.tar.gz", "91f7769df0f17e558f3565bffb0821dd"}},
       "",
       "stl10_binary"},
      {{"caltech101", "9,144 images of varying size, 101 classes and background; 137 MB",
        "CC BY 4.0"},
       {"https://data.caltech.edu/records/mzrjq-6wc02/files/"},
       {{"caltech-101.zip", "3138e1922a9193bfa496528edbbc45d0"}},
       "caltech-101/101_ObjectCategories.tar.gz",
       "101_ObjectCategories"},
  };
}

RemoteSet find_set(std::string_view name) {
  std::string known;
  for (RemoteSet& set : remote_sets()) {
    if (set.info.name == name) return std::move(set);
    known += (known.empty() ? "" : ", ") + set.info.name;
  }
  throw InvalidArgument(fmt::format("[download] unknown data set '{}'; known: {}", name, known));
}

/// From the first address that has the file as it must be.
void fetch_from(const Context& context, const std::vector<std::string>& addresses,
                const RemoteFile& file, const fs::path& path) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const bool last = i + 1 == addresses.size();
    try {
      const bool needs_slash = !addresses[i].ends_with('/');
      return fetch(context, addresses[i] + (needs_slash ? "/" : "") + file.name, file.md5, path);
    } catch (const IoError&) {
      if (last) throw;
    } catch (const DataError&) {
      if (last) throw;
    }
  }
}

/// Unpacked beside its place and renamed, so that the directory is complete where it exists.
void unpack_set(const Context& context, const RemoteSet& set, const fs::path& directory) {
  const fs::path workplace = directory / (set.unpacked + ".part");
  fs::remove_all(workplace);
  unpack(context, directory / set.files.front().name, workplace);
  if (!set.inner_archive.empty()) unpack(context, workplace / set.inner_archive, workplace);
  std::error_code error;
  fs::rename(workplace / set.unpacked, directory / set.unpacked, error);
  if (error) io_error("download", directory / set.unpacked, "cannot put in place", error.value());
  fs::remove_all(workplace);
}

}  // namespace

std::vector<DownloadInfo> downloads() {
  std::vector<DownloadInfo> list;
  for (const RemoteSet& set : remote_sets()) list.push_back(set.info);
  return list;
}

fs::path download_set(const Context& context, const RemoteSet& set, const fs::path& directory) {
  fs::path place = set.unpacked.empty() ? directory : directory / set.unpacked;
  if (!set.unpacked.empty() && fs::is_directory(place)) return place;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) io_error("download", directory, "cannot create the directory", error.value());
  for (const RemoteFile& file : set.files)
    fetch_from(context, set.addresses, file, directory / file.name);
  if (!set.unpacked.empty()) unpack_set(context, set, directory);
  return place;
}

fs::path download(const Context& context, std::string_view name, const fs::path& directory,
                  const DownloadOptions& options) {
  RemoteSet set = find_set(name);
  if (!options.address.empty()) set.addresses = {options.address};
  return with_io_errors("download", [&] { return download_set(context, set, directory); });
}

}  // namespace krica
