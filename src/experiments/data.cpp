// SPDX-License-Identifier: BSD-3-Clause
//
// The images of an experiment: the expected contents of a directory, and how much of it the smaller
// sizes use.
#include <algorithm>

#include "data/errors.hpp"
#include "experiments/plans.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kFingerprintImages = 64;
// The smaller sizes use at most this many images of all classes together, but some of each.
constexpr Sized<Index> kTrainImages = {200, 2000, 0};
constexpr Sized<Index> kTestImages = {100, 1000, 0};
constexpr Sized<Index> kImagesAClass = {10, 40, 0};
// Pixels: for Caltech-101, whose images have many sizes, and for STL-10 (0: unchanged, 96).
constexpr Sized<Index> kCaltechSize = {24, 32, 64};
constexpr Sized<Index> kStlSize = {24, 32, 0};
// The longest side of Caltech-101's images in their own proportions.
constexpr Sized<Index> kPhotographSide = {48, 100, 300};

std::string expectation(std::string_view name) {
  if (name == "cifar10") return "CIFAR-10: data_batch_1.bin to data_batch_5.bin and test_batch.bin";
  if (name == "stl10") return "STL-10: train_X.bin, train_y.bin, test_X.bin and test_y.bin";
  return "Caltech-101: a directory of images for each class";
}

[[noreturn]] void refuse(const Experiment& experiment, const fs::path& path,
                         const std::string& found) {
  data_error("reproduce", path.string(), "{} needs {}; found {}. `krica data get {}` downloads it",
             experiment.name, expectation(experiment.data), found, experiment.data);
}

OpenOptions open_options(const Experiment& experiment, const ExperimentRequest& request) {
  OpenOptions options;
  if (experiment.data == "caltech101") {
    options.format = DataFormat::kFolder;
    options.image_size = kCaltechSize.at(request.size);
    options.image_size_rule = ImageSizeRule::kLonger;
  }
  if (experiment.data == "stl10") options.image_size = kStlSize.at(request.size);
  if (request.image_size > 0) options.image_size = request.image_size;
  return options;
}

OpenOptions photograph_options(const ExperimentRequest& request) {
  return {.format = DataFormat::kFolder,
          .image_size = kPhotographSide.at(request.size),
          .image_size_rule = ImageSizeRule::kWithin};
}

/// For an experiment on any images: as the paper's experiments open such a set.
OpenOptions open_options(const fs::path& path, const ExperimentRequest& request) {
  OpenOptions options;
  const DataFormat format = recognised_format(path);
  if (format == DataFormat::kFolder) {
    options.image_size = kCaltechSize.at(request.size);
    options.image_size_rule = ImageSizeRule::kLonger;
  }
  if (format == DataFormat::kStl10) options.image_size = kStlSize.at(request.size);
  if (request.image_size > 0) options.image_size = request.image_size;
  return options;
}

/// The directory itself, or the set's own subdirectory.
fs::path place_of(const Experiment& experiment, const fs::path& path) {
  fs::path place = path;
  if (fs::is_directory(place / experiment.data)) place /= experiment.data;
  if (experiment.data == "caltech101" && fs::is_directory(place / "101_ObjectCategories"))
    place /= "101_ObjectCategories";
  return place;
}

/// For an experiment on any images: the directory itself, or the one set of the paper's in it.
fs::path place_of_any(const fs::path& path) {
  std::vector<std::string> inside;
  for (const char* name : {"caltech101", "cifar10", "stl10"})
    if (fs::is_directory(path / name)) inside.emplace_back(name);
  if (inside.empty() || recognised_format(path) != DataFormat::kFolder) return path;
  if (inside.size() == 1) return path / inside.front();
  data_error("reproduce", path.string(), "several data sets: {}; give the directory of one",
             fmt::join(inside, ", "));
}

Index smallest_class(const ImageSet& set) {
  std::vector<Index> count(static_cast<std::size_t>(set.classes()), 0);
  for (const int label : set.labels()) ++count[static_cast<std::size_t>(label)];
  return count.empty() ? 0 : *std::min_element(count.begin(), count.end());
}

void check_cifar(const Experiment& experiment, const fs::path& path, const DataSet& data) {
  if (data.format != DataFormat::kCifar10 && data.format != DataFormat::kCifar10Png)
    refuse(experiment, path, fmt::format("a set of format {}", name_of(data.format)));
  if (data.format == DataFormat::kCifar10Png) return;
  fs::path place = path;
  if (fs::is_directory(place / "cifar-10-batches-bin")) place /= "cifar-10-batches-bin";
  std::string missing;
  for (int batch = 1; batch <= 5; ++batch) {
    const std::string name = fmt::format("data_batch_{}.bin", batch);
    if (!fs::exists(place / name)) missing += fmt::format(" {}", name);
  }
  if (!data.test) missing += " test_batch.bin";
  if (!missing.empty()) refuse(experiment, path, fmt::format("no{}", missing));
}

void check_stl(const Experiment& experiment, const fs::path& path, const DataSet& data) {
  if (data.format != DataFormat::kStl10)
    refuse(experiment, path, fmt::format("a set of format {}", name_of(data.format)));
  if (data.train->labels().empty() || !data.test || data.test->labels().empty())
    refuse(experiment, path, data.test ? "no labels" : "no test_X.bin");
}

void check_caltech(const Experiment& experiment, const ExperimentRequest& request,
                   const fs::path& path, const DataSet& data) {
  if (data.is_samples() || !data.train || data.train->labels().empty())
    refuse(experiment, path, "images without classes");
  const Index needed = request.size == ExperimentSize::kSmoke ? 10 : 31;
  const Index smallest = smallest_class(*data.train);
  if (smallest < needed || data.train->classes() < 3) {
    refuse(
        experiment, path,
        fmt::format("{} classes, the smallest with {} images; at least 3 classes of {} are needed",
                    data.train->classes(), smallest, needed));
  }
}

DataSet open_any(const Context& context, const Experiment& experiment,
                 const ExperimentRequest& request) {
  const fs::path place = place_of_any(request.data);
  DataSet data = open_dataset(context, place, open_options(place, request));
  const auto refuse_set = [&](const std::string& found) {
    data_error("reproduce", request.data.string(), "{} needs labelled images; found {}",
               experiment.name, found);
  };
  if (data.is_samples()) refuse_set("samples");
  if (!data.train || data.train->labels().empty()) refuse_set("images without labels");
  if (data.test && data.test->labels().empty()) refuse_set("test images without labels");
  if (!data.test && smallest_class(*data.train) < 2)
    refuse_set("no test images, and a class with a single image");
  return data;
}

DataSet open_checked(const Context& context, const Experiment& experiment,
                     const ExperimentRequest& request) {
  const fs::path path = place_of(experiment, request.data);
  DataSet data;
  try {
    data = open_dataset(context, path, open_options(experiment, request));
  } catch (const DataError& error) {
    refuse(experiment, path, fmt::format("something else ({})", error.what()));
  }
  if (experiment.data == "cifar10") check_cifar(experiment, path, data);
  if (experiment.data == "stl10") check_stl(experiment, path, data);
  if (experiment.data == "caltech101") check_caltech(experiment, request, path, data);
  return data;
}

/// The first images of each class, so that there are not many more than `most` in total.
ImageSetPtr limited(const ImageSetPtr& set, Index most, Index least_a_class) {
  if (!set || most == 0 || set->size() <= most) return set;
  if (set->labels().empty()) return first_images(set, most);
  const Index a_class = std::max(least_a_class, most / set->classes());
  std::vector<Index> count(static_cast<std::size_t>(set->classes()), 0);
  std::vector<Index> chosen;
  for (Index i = 0; i < set->size(); ++i) {
    const int label = set->labels()[static_cast<std::size_t>(i)];
    if (count[static_cast<std::size_t>(label)]++ < a_class) chosen.push_back(i);
  }
  return subset(set, chosen);
}

void limit(DataSet& set, ExperimentSize size) {
  const Index least = kImagesAClass.at(size);
  set.train = limited(set.train, kTrainImages.at(size), least);
  set.test = limited(set.test, kTestImages.at(size), least);
  set.unlabelled = limited(set.unlabelled, kTrainImages.at(size), least);
}

void limit(ExperimentData& data, ExperimentSize size) {
  const Index before = data.set.train->size();
  limit(data.set, size);
  limit(data.photographs, size);
  if (data.set.train->size() == before) return;
  data.part = true;
  data.set.folds.clear();  // they are indices into the whole set
  data.notes.push_back(fmt::format("Size {}: {} of {} training images.", name_of(size),
                                   data.set.train->size(), before));
}

/// A digest of images spread over the set, to distinguish sets of the same name.
std::string short_fingerprint(const Context& context, const ImageSetPtr& set) {
  std::vector<Index> some;
  const Index count = std::min(kFingerprintImages, set->size());
  for (Index i = 0; i < count; ++i) some.push_back(i * set->size() / count);
  return fingerprint(context, *subset(set, some)).substr(0, 12);
}

std::string name_of_data(const Context& context, const DataSet& data) {
  std::string name =
      fmt::format("{}: {} {}", data.train->description(), data.train->size(), to_text(*data.train));
  if (data.test) name += fmt::format(", {} for test", data.test->size());
  if (data.unlabelled) name += fmt::format(", {} unlabelled", data.unlabelled->size());
  return fmt::format("{} ({})", name, short_fingerprint(context, data.train));
}

}  // namespace

const DataSet& images_for(const ExperimentData& data, const Configuration& configuration) {
  return configuration.photographs && data.photographs.train ? data.photographs : data.set;
}

ExperimentData open_experiment_data(const Context& context, const Experiment& experiment,
                                    const ExperimentRequest& request) {
  ExperimentData data;
  if (request.data.empty() || request.data == "embedded") {
    data.set = embedded_dataset();
    data.set.format = DataFormat::kEmbedded;
    for (ImageSetPtr* part : {&data.set.train, &data.set.test})
      if (request.image_size > 0) *part = resized(*part, request.image_size);
    std::string note =
        "Run on the built-in images (Fashion-MNIST, 2,000 for training and 1,000 for testing)";
    if (experiment.in_paper()) {
      note += fmt::format(" instead of {}, so the results cannot be compared with the paper's",
                          experiment.data);
    }
    data.notes.push_back(note + ".");
  } else if (!experiment.in_paper()) {
    data.set = open_any(context, experiment, request);
  } else {
    data.set = open_checked(context, experiment, request);
    if (experiment.data == "caltech101") {
      data.photographs =
          open_dataset(context, place_of(experiment, request.data), photograph_options(request));
    }
  }
  limit(data, request.size);
  const bool stl = experiment.data == "stl10" || data.set.format == DataFormat::kStl10;
  if (stl && data.set.unlabelled == nullptr) {
    data.notes.emplace_back(
        "There are no unlabelled images; bases that need no labels are learned from all training "
        "images.");
  }
  data.name = name_of_data(context, data.set);
  return data;
}

}  // namespace krica
