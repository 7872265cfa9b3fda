// SPDX-License-Identifier: BSD-3-Clause
#include "data/download.hpp"

#include <unistd.h>

#include "data/errors.hpp"
#include "data/fetch.hpp"
#include "data/remote_set.hpp"
#include "data/workplace.hpp"
#include "krica/runtime/words.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

RemoteSet find_set(std::string_view name) {
  std::vector<std::string> known;
  for (RemoteSet& set : remote_sets()) {
    if (set.info.name == name) return std::move(set);
    known.push_back(set.info.name);
  }
  unknown_word("data set", name, known, "download");
}

/// Tries the addresses in turn until one has the right file. Wrong content is reported in
/// preference to an unreachable address, because the user can do least about it.
void fetch_from(const Context& context, const std::vector<std::string>& addresses,
                const RemoteFile& file, const fs::path& path) {
  std::string failures;
  std::string wrong;
  for (const std::string& address : addresses) {
    const std::string slash = address.ends_with('/') ? "" : "/";
    try {
      return fetch(context, address + slash + file.name, file.md5, path);
    } catch (const TransferError& error) {
      failures += fmt::format("{}{}", failures.empty() ? "" : "; ", error.what());
    } catch (const WrongContent& error) {
      wrong = error.what();
    }
  }
  if (!wrong.empty()) throw DataError(wrong);
  throw IoError(fmt::format(
      "[download] {}: {}. The same command resumes where it stopped; or fetch this "
      "file "
      "by other means, put it at {} and run the same command, which then verifies and unpacks it",
      file.name, failures, path.string()));
}

fs::path workplace_of(const RemoteSet& set, const fs::path& directory) {
  return directory / (set.unpacked + ".part");
}

/// Unpacked next to its destination and renamed, so that an existing directory is complete.
void unpack_set(const Context& context, const RemoteSet& set, const fs::path& directory) {
  const Workplace workplace("download", workplace_of(set, directory));
  unpack(context, directory / set.files.front().name, workplace / "");
  if (!set.inner_archive.empty()) unpack(context, workplace / set.inner_archive, workplace / "");
  ::sync();  // so that a file with the final name survives a power failure
  std::error_code error;
  fs::rename(workplace / set.unpacked, directory / set.unpacked, error);
  if (error) io_error("download", directory / set.unpacked, "cannot put in place", error.value());
  workplace.remove();
}

}  // namespace

std::vector<DownloadInfo> downloads() {
  std::vector<DownloadInfo> list;
  for (const RemoteSet& set : remote_sets()) {
    list.push_back(set.info);
    list.back().addresses = set.addresses;
    for (const RemoteFile& file : set.files) list.back().files.push_back(file.name);
  }
  return list;
}

fs::path download_set(const Context& context, const RemoteSet& set, const fs::path& directory) {
  fs::path place = set.unpacked.empty() ? directory : directory / set.unpacked;
  if (!set.unpacked.empty() && fs::is_directory(place)) {
    remove_unfinished("download", workplace_of(set, directory));  // killed after the renaming
    return place;
  }
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
