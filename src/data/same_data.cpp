// SPDX-License-Identifier: BSD-3-Clause
#include "data/same_data.hpp"

#include <algorithm>

#include "data/errors.hpp"
#include "runtime/digest.hpp"
#include "runtime/farm.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

/// What a rank found, in words, and a digest of what they leave out.
struct Fact {
  std::string found;  // "found 400 files"
  std::string other;  // "found other files", if only the digests differ
  std::string digest = {};
};

class Findings {
 public:
  /// `details` are compared by digest.
  void add(std::string found, std::string other, std::string_view details = {}) {
    Digest digest(Digest::Kind::kSha256);
    digest.add(details.data(), details.size());
    facts_.push_back({std::move(found), std::move(other), digest.finish()});
  }

  template <class Value>
  void add(std::string found, std::string other, const std::vector<Value>& details) {
    add(std::move(found), std::move(other),
        std::string_view(reinterpret_cast<const char*>(details.data()),
                         details.size() * sizeof(Value)));
  }

  void add_files(std::vector<FileSize> files) {
    files_ = std::move(files);
    add(fmt::format("found {} file{}", files_.size(), files_.size() == 1 ? "" : "s"),
        "found other files", files_text());
  }

  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }
  [[nodiscard]] const std::vector<FileSize>& files() const { return files_; }

  /// One line per fact: what was found, and the digest.
  [[nodiscard]] std::string facts_text() const {
    std::string text;
    for (const Fact& fact : facts_) text += fmt::format("{} {}\n", fact.digest, fact.found);
    return text;
  }

  /// Names may hold anything but a zero byte.
  [[nodiscard]] std::string files_text() const {
    std::string text;
    for (const FileSize& file : files_) text += fmt::format("{} {}{}", file.size, file.name, '\0');
    return text;
  }

 private:
  std::vector<Fact> facts_;
  std::vector<FileSize> files_;
};

std::vector<std::string> pieces(std::string_view text, char end) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t length = text.find(end);
    result.emplace_back(text.substr(0, length));
    text.remove_prefix(length + 1);
  }
  return result;
}

std::vector<FileSize> files_in(std::string_view text) {
  std::vector<FileSize> files;
  for (const std::string& piece : pieces(text, '\0')) {
    const std::size_t space = piece.find(' ');
    files.push_back({piece.substr(space + 1), std::stoll(piece.substr(0, space))});
  }
  return files;
}

bool has(const std::vector<FileSize>& files, const std::string& name) {
  return std::any_of(files.begin(), files.end(),
                     [&](const FileSize& file) { return file.name == name; });
}

/// The first file in which two ranks differ: " (c01/0005.pgm is missing on process 1)".
std::string first_difference(const std::vector<FileSize>& first, const std::vector<FileSize>& own,
                             int rank) {
  const auto same = [](const FileSize& a, const FileSize& b) {
    return a.name == b.name && a.size == b.size;
  };
  const auto [a, b] = std::mismatch(first.begin(), first.end(), own.begin(), own.end(), same);
  if (a != first.end() && !has(own, a->name))
    return fmt::format(" ({} is missing on process {})", a->name, rank);
  if (b != own.end() && !has(first, b->name))
    return fmt::format(" ({} is missing on process 0)", b->name);
  if (a == first.end() || b == own.end() || a->name != b->name) return "";
  return fmt::format(" ({} has {} bytes on process {} and {} on process 0)", b->name, b->size, rank,
                     a->size);
}

/// What process `rank` found, and process 0 did not. `facts` and `files` are those of process 0.
std::string difference(const Findings& own, const std::string& facts, const std::string& files,
                       int rank) {
  const std::string detail = first_difference(files_in(files), own.files(), rank);
  const std::vector<std::string> first = pieces(facts, '\n');
  for (std::size_t i = 0; i < std::min(first.size(), own.facts().size()); ++i) {
    const Fact& fact = own.facts()[i];
    const std::size_t space = first[i].find(' ');
    const std::string found = first[i].substr(space + 1);
    if (found != fact.found)
      return fmt::format("process {} {}, process 0 {}{}", rank, fact.found, found, detail);
    if (first[i].substr(0, space) != fact.digest)
      return fmt::format("process {} {} than process 0{}", rank, fact.other, detail);
  }
  return fmt::format("process {} found other data than process 0{}", rank, detail);
}

void require_same(const Context& context, const std::filesystem::path& path,
                  const Findings& findings) {
  const std::string facts = findings.facts_text();
  const std::vector<std::string> all = all_texts(context, facts);
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& text) { return text != all.front(); });
  if (other == all.end()) return;
  const auto rank = static_cast<int>(other - all.begin());
  const int own = context.ranks()->rank();
  const std::string files = all_texts(context, own == 0 ? findings.files_text() : "").front();
  std::string message;
  if (own == rank) {
    message = fmt::format(
        "[data] {}: {}; all processes must see the same files and be given the same options",
        path.string(), difference(findings, all.front(), files, rank));
  }
  throw DataError(all_texts(context, message)[static_cast<std::size_t>(rank)]);
}

template <class Info>
void add_labels(Findings& findings, const Info& info, std::string_view part) {
  std::string names;
  for (const std::string& name : info.class_names) names += name + '\0';
  findings.add(fmt::format("found {} classes", info.class_names.size()),
               fmt::format("found other class names of {} data", part), names);
  findings.add("found labels", fmt::format("found other labels of {} data", part), info.labels);
}

void add_images(Findings& findings, const ImageSetPtr& images, std::string_view part) {
  if (!images) return;
  std::vector<Index> sizes;
  for (const ImageShape& shape : images->info().shapes)
    sizes.insert(sizes.end(), {shape.height, shape.width, shape.channels});
  findings.add(fmt::format("found {} {} {}", images->size(), part, to_text(*images)),
               "found images of other sizes", sizes);
  add_labels(findings, images->info(), part);
}

void add_samples(Findings& findings, const SampleSetPtr& samples, std::string_view part) {
  if (!samples) return;
  const SampleSetInfo& info = samples->info();
  findings.add(fmt::format("found {} {} samples of {} values", info.rows, part, info.cols),
               "found samples of another type",
               fmt::format("{} {}", info.channels, static_cast<int>(info.type)));
  add_labels(findings, info, part);
}

}  // namespace

void require_same_format(const Context& context, const std::filesystem::path& path,
                         DataFormat format, const OpenOptions& options) {
  if (!context.shares_rows()) return;
  Findings findings;
  findings.add("was given options", "was given other options",
               fmt::format("{} {} {} {} {} {} {} {} {} {}", context.seed(), options.label_column,
                           options.image_size.value_or(-1), name_of(options.image_size_rule),
                           options.channels, options.test_fraction, options.coarse_labels,
                           options.one_class_allowed, options.exif_orientation, options.skip_bad));
  findings.add(fmt::format("found data of format {}", name_of(format)), "");
  require_same(context, path, findings);
}

void require_same_files(const Context& context, const FolderListing& listing) {
  if (!context.shares_rows()) return;
  std::vector<FileSize> files;
  agree(context, [&] { with_io_errors("data", [&] { files = files_of(context, listing); }); });
  std::string classes;
  for (const std::string& name : listing.classes) classes += name + '\0';
  Findings findings;
  findings.add_files(std::move(files));
  findings.add(fmt::format("found {} class directories", listing.classes.size()),
               "found other class directories", classes);
  require_same(context, listing.path, findings);
}

void require_same_content(const Context& context, const std::filesystem::path& file) {
  const Context together = dividing(context);
  if (!together.shares_rows()) return;
  Findings findings;
  agree(together, [&] {
    const ByteSourcePtr source = open_file("data", file);
    findings.add(fmt::format("found {} bytes", source->size()), "found another content",
                 read_all(*source, source->size()));
  });
  require_same(together, file, findings);
}

void require_same_data(const Context& context, const std::filesystem::path& path,
                       const DataSet& data, const std::vector<FileSize>& files) {
  if (!context.shares_rows()) return;
  Findings findings;
  add_images(findings, data.train, "training");
  add_images(findings, data.test, "test");
  add_images(findings, data.unlabelled, "unlabelled");
  add_samples(findings, data.train_samples, "training");
  add_samples(findings, data.test_samples, "test");
  std::string folds;
  for (const std::vector<Index>& fold : data.folds)
    folds += fmt::format("{}\n", fmt::join(fold, " "));
  findings.add(fmt::format("found {} folds", data.folds.size()), "found other folds", folds);
  findings.add_files(files);
  require_same(context, path, findings);
}

}  // namespace krica
