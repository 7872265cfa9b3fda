// SPDX-License-Identifier: BSD-3-Clause
#include "predict_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "krica/data/image.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "prepared.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"
#include "tell.hpp"

namespace krica::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kLargestRound = 1024;

/// The image files in a directory and its subdirectories, in the order of their paths, without
/// hidden files.
std::vector<fs::path> image_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(directory);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory()) entry.disable_recursion_pending();
    if (!hidden && entry->is_regular_file() && has_image_ending(entry->path()))
      files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// "[image] photo.jpg: not an image" without the operation and the name, which the line already
/// has.
std::string reason_of(const std::string& what, const fs::path& path) {
  std::string reason = what;
  if (reason.starts_with('[')) reason.erase(0, reason.find("] ") + 2);
  for (const std::string& name : {path.string(), path.filename().string()}) {
    if (reason.starts_with(name + ": ")) return reason.substr(name.size() + 2);
  }
  return reason;
}

/// Images in memory.
class LoadedImages final : public ImageSet {
 public:
  explicit LoadedImages(std::vector<Image> images)
      : ImageSet(info_of(images)), images_(std::move(images)) {}

 private:
  static ImageSetInfo info_of(const std::vector<Image>& images) {
    ImageSetInfo info;
    info.size = static_cast<Index>(images.size());
    for (const Image& image : images) info.shapes.push_back(image.shape);
    info.shape = take_common_shape(info.shapes);
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      const auto& pixels = images_[static_cast<std::size_t>(i)].pixels;
      std::fill(std::copy(pixels.begin(), pixels.end(), out), out + shape().values(),
                std::uint8_t{0});
    }
  }
  std::vector<Image> images_;
};

ImageSetPtr chosen_part(const DataSet& data, const std::string& split, const fs::path& path) {
  ImageSetPtr train = data.is_samples() ? as_images(data.train_samples) : data.train;
  ImageSetPtr test = data.is_samples() ? as_images(data.test_samples) : data.test;
  if (split == "train" || (split == "auto" && !test)) return train;
  if (!test) throw DataError(fmt::format("[predict] {}: the data has no test part", path.string()));
  return test;
}

}  // namespace

PredictInputs::PredictInputs(const Context& context, const Model& model,
                             const std::vector<fs::path>& paths, DataFormat format,
                             const std::string& split)
    : context_(context), model_(model) {
  for (const fs::path& path : paths) {
    try {
      add(path, format, split, paths.size() > 1);
    } catch (const DataError& error) {
      note_failure(path, error, false);
    } catch (const IoError& error) {
      note_failure(path, error, true);
    } catch (const fs::filesystem_error& error) {
      note_failure(path, error, true);
    }
  }
}

void PredictInputs::add(const fs::path& path, DataFormat format, const std::string& split,
                        bool several) {
  std::error_code missing;
  const bool directory = fs::is_directory(path, missing);
  // A file with an image extension gets the image reader's message if it is not an image.
  if (format == DataFormat::kAuto && !directory && has_image_ending(path)) return add_file(path);
  const DataFormat found = format == DataFormat::kAuto ? recognised_format(path) : format;
  if (found == DataFormat::kFolder) {
    if (!directory) return add_file(path);
    const std::vector<fs::path> files = image_files(path);
    if (files.empty()) {
      throw DataError(
          fmt::format("[predict] {}: the directory holds no image files", path.string()));
    }
    for (const fs::path& file : files) add_file(file);
    return;
  }
  OpenOptions open;
  open.format = format;  // auto also distinguishes signals from images
  open.one_class_allowed = true;
  const DataSet data = open_dataset(context_, path, open);
  inputs_.push_back({{},
                     prepared(chosen_part(data, split, path), model_),
                     several ? path.string() + ":" : std::string()});
}

void PredictInputs::add_file(const fs::path& path) {
  if (model_.shape().is_sample()) {
    throw DataError(fmt::format("[predict] {}: an image, but the model was trained on {}",
                                path.string(), to_text(model_.shape())));
  }
  if (inputs_.empty() || inputs_.back().set) inputs_.emplace_back();
  inputs_.back().files.push_back(path);
}

Index PredictInputs::size() const {
  Index size = 0;
  for (const Input& input : inputs_)
    size += input.set ? input.set->size() : static_cast<Index>(input.files.size());
  return size;
}

void PredictInputs::for_rounds(const std::function<void(const Round&)>& visit) {
  for (const Input& input : inputs_)
    input.set ? visit_set(input, visit) : visit_files(input, visit);
}

/// An eighth of the memory budget for images and features.
Index PredictInputs::round_size() const {
  const Index bytes = 4 * (model_.n_features() + model_.shape().values());
  return std::clamp<Index>(context_.memory_bytes() / 8 / bytes, 1, kLargestRound);
}

void PredictInputs::visit_set(const Input& input,
                              const std::function<void(const Round&)>& visit) const {
  const Index rows = round_size();
  for (Index first = 0; first < input.set->size(); first += rows) {
    context_.check_cancelled();
    Round round;
    std::vector<Index> part;
    for (Index i = first; i < std::min(first + rows, input.set->size()); ++i) {
      part.push_back(i);
      round.names.push_back(fmt::format("{}{}", input.prefix, i));
    }
    round.images = subset(input.set, std::move(part));
    visit(round);
  }
}

void PredictInputs::visit_files(const Input& input,
                                const std::function<void(const Round&)>& visit) {
  const auto rows = static_cast<std::size_t>(round_size());
  for (std::size_t first = 0; first < input.files.size(); first += rows) {
    Round round;
    std::vector<Image> images;
    for (std::size_t i = first; i < std::min(first + rows, input.files.size()); ++i) {
      context_.check_cancelled();
      try {
        images.push_back(prepared(
            read_image(context_, input.files[i], model_.parts().preparation.exif_orientation),
            model_));
        round.names.push_back(input.files[i].string());
      } catch (const DataError& error) {
        note_failure(input.files[i], error, false);
      } catch (const IoError& error) {
        note_failure(input.files[i], error, true);
      }
    }
    if (images.empty()) continue;
    round.images = std::make_shared<LoadedImages>(std::move(images));
    visit(round);
  }
}

void PredictInputs::note_failure(const fs::path& path, const std::exception& error,
                                 bool file_system) {
  failures_.push_back({path.string(), reason_of(error.what(), path), file_system});
  end_progress_line();
  tell("krica: {}: {}\n", printable(path.string()), printable(failures_.back().reason));
}

}  // namespace krica::cli
