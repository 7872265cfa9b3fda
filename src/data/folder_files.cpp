// SPDX-License-Identifier: BSD-3-Clause
#include "data/folder_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/errors.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kHeaderBytes = Index{1} << 16;
constexpr std::size_t kMostNames = 10;

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

template <std::size_t kCount>
bool contains(const std::array<std::string_view, kCount>& endings, std::string_view ending) {
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// The usual extension of an image format that is recognised but not supported; otherwise empty.
std::string foreign_kind(std::span<const std::uint8_t> bytes, const fs::path& path) {
  const std::string start(bytes.begin(),
                          bytes.begin() + std::min<std::ptrdiff_t>(16, std::ssize(bytes)));
  const ImageCodec codec = codec_of(bytes);
  if (codec == ImageCodec::kWebp) return ".webp";
  if (codec == ImageCodec::kTiff) return ".tif";
  if (start.starts_with("GIF8")) return ".gif";
  if (start.starts_with("8BPS")) return ".psd";
  if (start.size() >= 12 && start.compare(4, 4, "ftyp") == 0) {
    const std::string brand = start.substr(8, 4);
    if (brand == "avif" || brand == "avis") return ".avif";
    if (brand.starts_with("hei") || brand.starts_with("hev") || brand == "mif1") return ".heic";
  }
  constexpr std::array<std::string_view, 20> kEndings = {
      ".webp", ".tif", ".tiff", ".gif", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".psd",
      ".svg",  ".ico", ".cr2",  ".cr3", ".nef",  ".arw",  ".dng",  ".raw", ".exr", ".tga"};
  const std::string ending = ending_of(path);
  return contains(kEndings, ending) ? ending : "";
}

ImageShape look_at_header(const ImageFile& file, const ByteSource& source, const Bytes& front,
                          bool exif_orientation) {
  try {
    return shape_of({front, source.size(), file.name, exif_orientation});
  } catch (const DataError&) {
    if (source.size() <= kHeaderBytes) throw;
  }
  // Large comments may precede the header.
  const Bytes whole = read_all(source, kLargestImageFile);
  return shape_of({whole, source.size(), file.name, exif_orientation});
}

/// "9 .webp, 3 .heic": most frequent first.
std::string counts_text(const std::map<std::string, Index>& counts) {
  std::vector<std::pair<std::string, Index>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [kind, count] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text;
}

/// The first ten, and the number of the others.
std::string list_text(const std::vector<std::string>& entries) {
  const std::size_t shown = std::min(kMostNames, entries.size());
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(entries.begin(), end, "; "));
  if (entries.size() > shown) text += fmt::format("; and {} more", entries.size() - shown);
  return text;
}

/// "file: what is wrong": an error message without "[operation] " and the advice at the end.
std::string complaint_of(const std::string& message) {
  const std::size_t end = message.find("] ");
  const std::size_t begin = message.starts_with('[') && end != std::string::npos ? end + 2 : 0;
  const std::size_t advice = message.find("; ", begin);
  return message.substr(begin, advice == std::string::npos ? advice : advice - begin);
}

}  // namespace

bool has_image_ending(const fs::path& path) {
  constexpr std::array<std::string_view, 8> kEndings = {".jpg", ".jpeg", ".png", ".bmp",
                                                        ".pnm", ".pbm",  ".pgm", ".ppm"};
  const std::string ending = ending_of(path);
  if (ending == ".webp") return reads_webp();
  if (ending == ".tif" || ending == ".tiff") return reads_tiff();
  return contains(kEndings, ending);
}

/// A shape, an error, or neither for a skipped file, with its kind.
struct FolderScan::Verdict {
  ImageShape shape;
  std::string error;
  std::string kind;
  bool foreign_image = false;
};

FolderScan::Verdict FolderScan::judge(const ImageFile& file) const {
  const ByteSourcePtr source = open_file("folder", file.path);
  Bytes front(static_cast<std::size_t>(std::min(kHeaderBytes, source->size())));
  source->read(0, static_cast<Index>(front.size()), front.data());
  Verdict verdict;
  if (!can_decode(codec_of(front))) {
    verdict.kind = foreign_kind(front, file.path);
    const bool claims_to_be_readable = has_image_ending(file.path);
    // A text file named .tif is corrupt; a GIF named .jpg is a GIF.
    verdict.foreign_image =
        !verdict.kind.empty() && !(claims_to_be_readable && verdict.kind == ending_of(file.path));
    if (verdict.foreign_image) return verdict;
    verdict.kind = ending_of(file.path);
    if (!claims_to_be_readable) return verdict;
  }
  try {
    verdict.shape = look_at_header(file, *source, front, options_.exif_orientation);
    if (options_.skip_bad) {
      const Bytes whole = read_all(*source, kLargestImageFile);
      decode({whole, source->size(), file.name, options_.exif_orientation});
    }
  } catch (const DataError& error) {
    verdict.shape = {};
    verdict.error = complaint_of(error.what());
  }
  return verdict;
}

std::vector<ImageFile> FolderScan::keep_images(const fs::path& directory,
                                               std::vector<ImageFile> files) {
  std::vector<Verdict> verdicts(files.size());
  parallel_for(context_, static_cast<Index>(files.size()), [&](Index i) {
    verdicts[static_cast<std::size_t>(i)] = judge(files[static_cast<std::size_t>(i)]);
  });
  std::vector<ImageFile> images;
  std::map<std::string, Index> others;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Verdict& verdict = verdicts[i];
    if (!verdict.error.empty()) {
      bad_.push_back(verdict.error);
    } else if (verdict.shape.height > 0) {
      images.push_back(std::move(files[i]));
      images.back().shape = verdict.shape;
    } else {
      ++others[verdict.kind.empty() ? "without an ending" : verdict.kind];
      if (verdict.foreign_image) ++skipped_[verdict.kind];
    }
  }
  if (images.empty()) {
    empty_.push_back(fmt::format("{}: the directory holds no images that can be read{}",
                                 directory.string(),
                                 others.empty() ? "" : " (" + counts_text(others) + ")"));
  }
  return images;
}

void FolderScan::ignore(std::size_t count, std::string_view one, std::string_view several) {
  if (count == 0) return;
  ignored_.push_back(fmt::format("ignored {} {}", count, count == 1 ? one : several));
}

std::vector<std::string> FolderScan::finish() const {
  const std::string_view plural = bad_.size() == 1 ? "" : "s";
  if (!bad_.empty() && !options_.skip_bad) {
    throw DataError(
        fmt::format("[folder] {} image file{} cannot be read; --skip-bad (skip_bad) leaves {} "
                    "out: {}",
                    bad_.size(), plural, bad_.size() == 1 ? "it" : "them", list_text(bad_)));
  }
  if (!empty_.empty()) throw DataError("[folder] " + empty_.front());
  std::vector<std::string> notes = ignored_;
  if (!skipped_.empty()) {
    Index count = 0;
    for (const auto& entry : skipped_) count += entry.second;
    notes.push_back(fmt::format(
        "skipped {} {}: {}", count,
        count == 1 ? "file that is not a readable image" : "files that are not readable images",
        counts_text(skipped_)));
  }
  if (!bad_.empty()) {
    notes.push_back(fmt::format("skipped {} image file{} that cannot be read: {}", bad_.size(),
                                plural, list_text(bad_)));
  }
  return notes;
}

}  // namespace krica
