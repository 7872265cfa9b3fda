// SPDX-License-Identifier: BSD-3-Clause
#include "data/folder_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/errors.hpp"
#include "runtime/farm.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

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

/// Large comments may precede the header, and that of TIFF files may be anywhere.
bool has_header(const EncodedImage& beginning) {
  try {
    shape_of(beginning);
    return true;
  } catch (const DataError&) {
    return false;
  }
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

/// What was found out about a file.
struct FolderScan::Verdict {
  enum class Outcome : Index { kImage, kBad, kForeignImage, kOther };
  struct Fields {
    Outcome outcome = Outcome::kOther;
    ImageShape shape = {};
    Index decoding_bytes = 0;
  };

  Fields fields = {};
  std::string text;  // of a bad file: what is wrong; of a foreign or other one: its kind

  /// As bytes, for other ranks.
  void append_to(std::string& bytes) const;
  /// The first of these, which is taken away.
  static Verdict take_from(std::string_view& bytes);
};

void FolderScan::Verdict::append_to(std::string& bytes) const {
  const std::size_t length = text.size();
  bytes.append(reinterpret_cast<const char*>(&fields), sizeof(fields));
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += text;
}

FolderScan::Verdict FolderScan::Verdict::take_from(std::string_view& bytes) {
  Verdict verdict;
  std::size_t length = 0;
  std::memcpy(&verdict.fields, bytes.data(), sizeof(Fields));
  std::memcpy(&length, bytes.data() + sizeof(Fields), sizeof(length));
  bytes.remove_prefix(sizeof(Fields) + sizeof(length));
  verdict.text = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return verdict;
}

void FolderScan::look_at_header(const EncodedImage& image, Verdict& verdict) const {
  verdict.fields = {Verdict::Outcome::kImage, shape_of(image), decoding_bytes(image)};
  room_.check(image);
}

FolderScan::Verdict FolderScan::judge(const ImageFile& file) {
  const ByteSourcePtr source = open_file("folder", file.path);
  Bytes front(static_cast<std::size_t>(std::min(kHeaderBytes, source->size())));
  source->read(0, static_cast<Index>(front.size()), front.data());
  Verdict verdict;
  if (!can_decode(codec_of(front))) {
    verdict.text = foreign_kind(front, file.path);
    const bool claims_to_be_readable = has_image_ending(file.path);
    // A text file named .tif is corrupt; a GIF named .jpg is a GIF.
    const std::string ending = ending_of(file.path);
    if (!verdict.text.empty() && !(claims_to_be_readable && verdict.text == ending)) {
      verdict.fields.outcome = Verdict::Outcome::kForeignImage;
      return verdict;
    }
    verdict.text = ending;
    if (!claims_to_be_readable) return verdict;
  }
  try {
    const auto whole = [&] { return read_all(*source, kLargestImageFile); };
    const auto encoded = [&](const Bytes& bytes) {
      return EncodedImage{bytes, source->size(), file.name, options_.exif_orientation};
    };
    if (source->size() <= kHeaderBytes || has_header(encoded(front))) {
      look_at_header(encoded(front), verdict);
    } else {
      room_.check_reading(file.name, source->size());
      room_.with_room_for(source->size(), [&] { look_at_header(encoded(whole()), verdict); });
    }
    if (options_.skip_bad)
      room_.with_room_for(verdict.fields.decoding_bytes, [&] { decode(encoded(whole())); });
  } catch (const DataError& error) {
    verdict = {{Verdict::Outcome::kBad}, complaint_of(error.what())};
  }
  return verdict;
}

std::vector<FolderScan::Verdict> FolderScan::judge_all(const std::vector<const ImageFile*>& files) {
  std::vector<Verdict> verdicts(files.size());
  const Range own = own_share(context_, std::ssize(files));
  agree(context_, [&] {
    parallel_for(context_, own.size(), [&](Index i) {
      stop_if_wanted(context_);
      const auto at = static_cast<std::size_t>(own.begin + i);
      verdicts[at] = judge(*files[at]);
    });
  });
  context_.check_cancelled();
  if (!context_.shares_rows()) return verdicts;
  std::string own_bytes;
  for (Index i = own.begin; i < own.end; ++i)
    verdicts[static_cast<std::size_t>(i)].append_to(own_bytes);
  auto next = verdicts.begin();
  for (std::string_view bytes : all_texts(context_, own_bytes)) {
    while (!bytes.empty()) *next++ = Verdict::take_from(bytes);
  }
  return verdicts;
}

std::vector<ImageFile> FolderScan::keep_images(ListedPart part) {
  std::vector<const ImageFile*> files;
  for (const ListedDirectory& directory : part.directories) {
    for (const ImageFile& file : directory.files) files.push_back(&file);
  }
  const std::vector<Verdict> verdicts = judge_all(files);
  std::vector<ImageFile> images;
  const Verdict* next = verdicts.data();
  for (ListedDirectory& directory : part.directories) {
    const std::size_t count = directory.files.size();
    keep_images(std::move(directory), next, images);
    next += count;
  }
  return images;
}

void FolderScan::keep_images(ListedDirectory directory, const Verdict* verdicts,
                             std::vector<ImageFile>& images) {
  const std::size_t before = images.size();
  std::map<std::string, Index> others;
  for (ImageFile& file : directory.files) {
    const Verdict& verdict = *verdicts++;
    switch (verdict.fields.outcome) {
      case Verdict::Outcome::kImage:
        images.push_back(std::move(file));
        images.back().shape = verdict.fields.shape;
        images.back().decoding_bytes = verdict.fields.decoding_bytes;
        break;
      case Verdict::Outcome::kBad:
        bad_.push_back(verdict.text);
        break;
      case Verdict::Outcome::kForeignImage:
        ++skipped_[verdict.text];
        [[fallthrough]];
      case Verdict::Outcome::kOther:
        ++others[verdict.text.empty() ? "without an ending" : verdict.text];
        break;
    }
  }
  if (images.size() == before) {
    empty_.push_back(fmt::format("{}: the directory holds no images that can be read{}",
                                 directory.path.string(),
                                 others.empty() ? "" : " (" + counts_text(others) + ")"));
  }
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
  std::vector<std::string> notes;
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
