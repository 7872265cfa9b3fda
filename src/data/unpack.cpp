// SPDX-License-Identifier: BSD-3-Clause
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>

#include "data/errors.hpp"
#include "data/fetch.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 18;

using ArchivePtr = std::unique_ptr<archive, decltype(&archive_read_free)>;

[[noreturn]] void broken(archive* reader, const fs::path& file) {
  const char* reason = archive_error_string(reader);
  data_error("unpack", file.filename().string(), "{}", reason != nullptr ? reason : "broken");
}

ArchivePtr open_archive(const fs::path& file) {
  ArchivePtr reader(archive_read_new(), archive_read_free);
  if (!reader) throw std::bad_alloc();
  // By name: "all" also starts programs, such as grzip or lrzip, where a file looks like theirs.
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  if (archive_read_open_filename(reader.get(), file.c_str(), kBlock) != ARCHIVE_OK)
    broken(reader.get(), file);
  return reader;
}

/// The entry's path, relative and without "..".
fs::path safe_path(archive_entry* entry, const fs::path& file) {
  const char* name = archive_entry_pathname(entry);
  fs::path path = name != nullptr ? fs::path(name).lexically_normal() : fs::path();
  const bool outside =
      path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (path.empty() || outside) {
    data_error("unpack", file.filename().string(), "'{}' would be unpacked outside the directory",
               name != nullptr ? name : "");
  }
  return path;
}

/// Reports how much of the archive has been read; entries may be few and large.
class UnpackProgress {
 public:
  UnpackProgress(const Context& context, const fs::path& file)
      : context_(context),
        stage_("unpack " + file.filename().string()),
        total_(static_cast<Index>(fs::file_size(file))) {}

  void report(archive* reader) const {
    context_.check_cancelled();
    context_.notify({.stage = stage_, .step = archive_filter_bytes(reader, -1), .total = total_});
  }

 private:
  const Context& context_;
  std::string stage_;
  Index total_;
};

/// `block` is a place for the bytes on their way.
void write_entry(const UnpackProgress& progress, archive* reader, const fs::path& file,
                 const fs::path& target, std::vector<char>& block) {
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) io_error("unpack", target.parent_path(), "cannot create", error.value());
  std::ofstream out(target, std::ios::binary);
  while (true) {
    progress.report(reader);
    const la_ssize_t count = archive_read_data(reader, block.data(), block.size());
    if (count < 0) broken(reader, file);
    if (count == 0) break;
    if (!out.write(block.data(), count)) io_error("unpack", target, "cannot write", errno);
  }
  out.close();
  if (!out) io_error("unpack", target, "cannot write", errno);
}

}  // namespace

void unpack(const Context& context, const fs::path& archive_file, const fs::path& directory) {
  const ArchivePtr reader = open_archive(archive_file);
  const UnpackProgress progress(context, archive_file);
  std::vector<char> block(kBlock);
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    if (status < ARCHIVE_WARN) broken(reader.get(), archive_file);
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      continue;
    write_entry(progress, reader.get(), archive_file, directory / safe_path(entry, archive_file),
                block);
  }
}

}  // namespace krica
