// SPDX-License-Identifier: BSD-3-Clause
#include "data/convert.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "data/byte_source.hpp"
#include "data/class_names.hpp"
#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/npy.hpp"
#include "data/workplace.hpp"
#include "krica/data/image.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/check.hpp"
#include "runtime/file.hpp"
#include "runtime/output_lock.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kBlockValues = Index{1} << 22;
constexpr Index kCifarBatch = 10000;

void make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) io_error("convert", path, "cannot create the directory", error.value());
}

bool is_mount_point(const fs::path& directory) {
  struct stat here {};
  struct stat above {};
  return ::stat(directory.c_str(), &here) == 0 && ::stat((directory / "..").c_str(), &above) == 0 &&
         here.st_dev != above.st_dev;
}

/// Calls body(first, pixels, count) for blocks of images in order; decodes them in parallel.
template <class Pixel>
void for_each_block(const Context& context, const ImageSet& set, Index first, Index end,
                    const std::function<void(Index, const Pixel*, Index)>& body) {
  const Index values = set.shape().values();
  const Index step = std::max<Index>(1, kBlockValues / values);
  std::vector<Pixel> block(static_cast<std::size_t>(std::min(step, end - first) * values));
  for (; first < end; first += step) {
    const Index count = std::min(step, end - first);
    const Partition parts(count, 8);
    parallel_for(context, parts.count(), [&](Index p) {
      set.read(first + parts[p].begin, parts[p].size(), block.data() + parts[p].begin * values);
    });
    body(first, block.data(), count);
  }
}

void write_names(const fs::path& path, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  write_file_atomically(path, text);
}

/// Whether labels are integers from `least` to `most`, so that a file can store their values.
bool keeps_values(const Labelling& labelling, std::int64_t least, std::int64_t most) {
  const auto& names = labelling.class_names;
  return labelling.type == LabelType::kInteger &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) {
           const std::int64_t value = std::stoll(name);
           return value >= least && value <= most;
         });
}

/// The values of the labels, or the numbers of their classes.
std::vector<std::int64_t> label_numbers(const Labelling& labelling, bool values) {
  std::vector<std::int64_t> numbers(labelling.labels.begin(), labelling.labels.end());
  if (!values) return numbers;
  for (std::int64_t& number : numbers)
    number = std::stoll(labelling.class_names[static_cast<std::size_t>(number)]);
  return numbers;
}

void require_bytes(const ImageSet& set, DataFormat format) {
  require(set.pixel_type() == PixelType::kUint8, "convert",
          "the set has float pixels, but {} stores bytes; use npy", name_of(format));
}

void require_labels(const ImageSet& set, Index classes, DataFormat format) {
  require(!set.labels().empty(), "convert",
          "the set has no labels, which {} needs; use npy or folder", name_of(format));
  require(set.classes() <= classes, "convert", "{} classes are more than {} holds ({})",
          set.classes(), name_of(format), classes);
}

void write_cifar_file(const Context& context, const ImageSet& set, Index first, Index end,
                      const fs::path& path) {
  AtomicFile file("convert", path);
  const Index values = set.shape().values();
  Bytes records;
  for_each_block<std::uint8_t>(
      context, set, first, end, [&](Index at, const std::uint8_t* pixels, Index count) {
        records.clear();
        for (Index i = 0; i < count; ++i) {
          records.push_back(
              static_cast<std::uint8_t>(set.labels()[static_cast<std::size_t>(at + i)]));
          records.insert(records.end(), pixels + i * values, pixels + (i + 1) * values);
        }
        file.write(records.data(), records.size());
      });
  file.commit();
}

void write_cifar(const Context& context, const DataSet& data, const fs::path& path) {
  for (const ImageSetPtr& set : {data.train, data.test}) {
    if (!set) continue;
    require_bytes(*set, DataFormat::kCifar10);
    require_labels(*set, 10, DataFormat::kCifar10);
    require(set->shape() == ImageShape{32, 32, 3}, "convert",
            "images of {} x {} x {} pixels; cifar10 holds 32 x 32 x 3 (image_size and channels "
            "change them)",
            set->shape().height, set->shape().width, set->shape().channels);
  }
  make_directory(path);
  const Index size = data.train->size();
  const Index batch = std::max(kCifarBatch, (size + 4) / 5);
  for (Index first = 0, number = 1; first < size; first += batch, ++number) {
    write_cifar_file(context, *data.train, first, std::min(first + batch, size),
                     path / fmt::format("data_batch_{}.bin", number));
  }
  if (data.test)
    write_cifar_file(context, *data.test, 0, data.test->size(), path / "test_batch.bin");
  std::vector<std::string> names = data.train->class_names();
  while (names.size() < 10) names.push_back(fmt::format("unused {}", names.size()));
  write_names(path / "batches.meta.txt", names);
}

/// The big-endian header of an IDX file.
std::string idx_header(const std::vector<Index>& sizes) {
  std::string header = {'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (const Index size : sizes) {
    require(size <= 0xffffffff, "convert", "{} is too large for an IDX header", size);
    for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(size >> shift);
  }
  return header;
}

void write_idx_part(const Context& context, const ImageSet& set, const fs::path& path,
                    const std::string& part) {
  AtomicFile file("convert", path / (part + "-images-idx3-ubyte"));
  const std::string header = idx_header({set.size(), set.shape().height, set.shape().width});
  file.write(header.data(), header.size());
  for_each_block<std::uint8_t>(
      context, set, 0, set.size(), [&](Index, const std::uint8_t* pixels, Index count) {
        file.write(pixels, static_cast<std::size_t>(count * set.shape().values()));
      });
  file.commit();
  std::string labels = idx_header({set.size()});
  const Labelling labelling = labelling_of(set.info());
  for (const std::int64_t number : label_numbers(labelling, keeps_values(labelling, 0, 255)))
    labels += static_cast<char>(number);
  write_file_atomically(path / (part + "-labels-idx1-ubyte"), labels);
}

void write_idx(const Context& context, const DataSet& data, const fs::path& path) {
  for (const ImageSetPtr& set : {data.train, data.test}) {
    if (!set) continue;
    require_bytes(*set, DataFormat::kIdx);
    require_labels(*set, 256, DataFormat::kIdx);
    require(set->shape().channels == 1, "convert", "idx stores grey images; use channels = 1");
  }
  make_directory(path);
  write_idx_part(context, *data.train, path, "train");
  if (data.test) write_idx_part(context, *data.test, path, "t10k");
  if (!keeps_values(labelling_of(data.train->info()), 0, 255))
    write_names(path / "class_names.txt", data.train->class_names());
}

template <class Pixel>
void write_npy_images(const Context& context, const ImageSet& set, const fs::path& path) {
  const ImageShape shape = set.shape();
  std::vector<Index> sizes = {set.size(), shape.height, shape.width};
  if (shape.channels > 1) sizes.push_back(shape.channels);
  NpyWriter<Pixel> file(path, sizes);
  std::vector<Pixel> image(static_cast<std::size_t>(shape.values()));
  for_each_block<Pixel>(context, set, 0, set.size(), [&](Index, const Pixel* pixels, Index count) {
    for (Index i = 0; i < count; ++i) {
      const Pixel* planes = pixels + i * shape.values();
      for (Index j = 0; j < shape.values(); ++j) {
        image[static_cast<std::size_t>(j)] =
            planes[j % shape.channels * shape.pixels() + j / shape.channels];
      }
      file.write(image.data(), shape.values());
    }
  });
  file.commit();
}

template <class Scalar>
void write_npy_samples(const SampleSet& set, const fs::path& path) {
  const Index channels = set.info().channels;
  const Index steps = set.info().steps();
  std::vector<Index> sizes = {set.rows(), steps};
  if (channels > 1) sizes.push_back(channels);
  NpyWriter<Scalar> file(path, sizes);
  std::vector<Scalar> row(static_cast<std::size_t>(set.cols()));
  std::vector<Scalar> interleaved(row.size());  // the channels of a step are adjacent
  for (Index i = 0; i < set.rows(); ++i) {
    set.read(i, 1, row.data());
    for (Index j = 0; j < set.cols(); ++j) {
      interleaved[static_cast<std::size_t>(j)] =
          row[static_cast<std::size_t>(j % channels * steps + j / channels)];
    }
    file.write(interleaved.data(), set.cols());
  }
  file.commit();
}

bool npy_keeps_values(const Labelling& labelling) {
  return keeps_values(labelling, std::numeric_limits<std::int64_t>::min(),
                      std::numeric_limits<std::int64_t>::max());
}

void write_npy_labels(const Labelling& labelling, const fs::path& path) {
  const auto size = static_cast<Index>(labelling.labels.size());
  if (size == 0) return;
  if (labelling.type == LabelType::kBoolean) {
    NpyWriter<bool> file(path, {size});
    for (const int label : labelling.labels) {
      const bool value = labelling.class_names[static_cast<std::size_t>(label)] == "True";
      file.write(&value, 1);
    }
    return file.commit();
  }
  const auto numbers = label_numbers(labelling, npy_keeps_values(labelling));
  NpyWriter<std::int64_t> file(path, {size});
  file.write(numbers.data(), size);
  file.commit();
}

void write_npy_part(const Context& context, const ImageSetPtr& images, const SampleSetPtr& samples,
                    const fs::path& path, const std::string& part) {
  const fs::path file = path / (part + "_x.npy");
  if (images && images->pixel_type() == PixelType::kUint8) {
    write_npy_images<std::uint8_t>(context, *images, file);
  } else if (images) {
    write_npy_images<float>(context, *images, file);
  } else if (samples && samples->type() == SampleType::kFloat32) {
    write_npy_samples<float>(*samples, file);
  } else if (samples) {
    write_npy_samples<double>(*samples, file);
  } else {
    return;
  }
  write_npy_labels(images ? labelling_of(images->info()) : labelling_of(samples->info()),
                   path / (part + "_y.npy"));
}

void write_npy(const Context& context, const DataSet& data, const fs::path& path) {
  make_directory(path);
  write_npy_part(context, data.train, data.train_samples, path, "train");
  write_npy_part(context, data.test, data.test_samples, path, "test");
  write_npy_part(context, data.unlabelled, nullptr, path, "unlabelled");
  const Labelling labelling = train_labels(data);
  const bool named = labelling.type == LabelType::kText && !labelling.class_names.empty();
  if (named) write_names(path / "class_names.txt", labelling.class_names);
}

void write_images(const Context& context, const ImageSet& set, const fs::path& path) {
  std::vector<fs::path> directories;
  for (const std::string& name : set.class_names())
    directories.push_back(path / directory_name(name));
  const std::set<fs::path> different(directories.begin(), directories.end());
  require(different.size() == directories.size(), "convert",
          "two classes would share a directory: their names are too similar");
  if (set.labels().empty()) make_directory(path);
  for (const int label : set.labels()) make_directory(directories[static_cast<std::size_t>(label)]);
  parallel_for(context, set.size(), [&](Index i) {
    Image image{set.shape_of(i), Bytes(static_cast<std::size_t>(set.shape().values()))};
    set.read(i, 1, image.pixels.data());
    image.pixels.resize(static_cast<std::size_t>(image.shape.values()));
    const fs::path& place =
        set.labels().empty()
            ? path
            : directories[static_cast<std::size_t>(set.labels()[static_cast<std::size_t>(i)])];
    write_png(place / fmt::format("{:06}.png", i), image);
  });
}

void write_folder(const Context& context, const DataSet& data, const fs::path& path) {
  for (const ImageSetPtr& set : {data.train, data.test, data.unlabelled}) {
    if (set) require_bytes(*set, DataFormat::kFolder);
  }
  // A class directory named "train" would be mistaken for the training part.
  const auto& names = data.train->class_names();
  const bool nested =
      data.test || data.unlabelled || std::find(names.begin(), names.end(), "train") != names.end();
  require(!nested || !data.train->labels().empty(), "convert",
          "a folder with a test part needs labels; use npy");
  make_directory(path);
  write_images(context, *data.train, nested ? path / "train" : path);
  if (data.test) write_images(context, *data.test, path / "test");
  if (data.unlabelled) write_images(context, *data.unlabelled, path / "unlabelled");
  for (const char* part : {"train", "test", "unlabelled"}) sync_directory(path / part);
}

void require_one_size(const DataSet& data, DataFormat format) {
  for (const ImageSetPtr& set : {data.train, data.test, data.unlabelled}) {
    require(!set || !set->varied() || format == DataFormat::kFolder, "convert",
            "the images differ in size, but {} stores one size; --image-size (image_size) makes "
            "them one, with --image-size-rule square, shorter or longer; folder keeps their sizes",
            name_of(format));
  }
}

void write(const Context& context, const DataSet& data, const fs::path& path, DataFormat format) {
  switch (format) {
    case DataFormat::kCifar10:
      return write_cifar(context, data, path);
    case DataFormat::kIdx:
      return write_idx(context, data, path);
    case DataFormat::kNpy:
      return write_npy(context, data, path);
    case DataFormat::kFolder:
      return write_folder(context, data, path);
    default:
      throw InvalidArgument(
          fmt::format("[convert] cannot write {}; cifar10, idx, npy and folder can be written",
                      name_of(format)));
  }
}

/// The directory's path without a trailing slash. The complete set is renamed to it, so it must be
/// free, and not a directory that cannot be replaced by renaming.
fs::path checked_target(const fs::path& path) {
  fs::path target = path.has_filename() ? path : path.parent_path();  // not const: it is moved out
  const fs::path parent = fs::absolute(target).parent_path();
  make_directory(parent);
  if (!fs::exists(target)) return target;
  if (!fs::is_directory(target) || !fs::is_empty(target))
    throw IoError(fmt::format("[convert] {}: exists and is not empty", target.string()));
  if (fs::equivalent(target, fs::current_path()) || is_mount_point(target)) {
    throw IoError(
        fmt::format("[convert] {}: the current directory or a mount point; name a directory in it",
                    target.string()));
  }
  return target;
}

void put_in_place(const fs::path& set, const fs::path& target) {
  sync_directory(set);
  std::error_code error;
  fs::rename(set, target, error);
  if (error) io_error("convert", target, "cannot put in place", error.value());
}

/// The set appears complete or not at all.
void write_whole(const Context& context, const DataSet& data, const fs::path& path,
                 DataFormat format) {
  const fs::path target = checked_target(path);
  const OutputLock lock(target);
  const Workplace workplace("convert", target.string() + ".krica-part");
  try {
    write(context, data, workplace / "set", format);
    put_in_place(workplace / "set", target);
  } catch (...) {
    workplace.remove();
    throw;
  }
  workplace.remove();
  sync_directory(directory_of(target));
}

}  // namespace

void convert(const Context& context, const DataSet& data, const fs::path& path, DataFormat format) {
  require(data.train || data.train_samples, "convert", "the data set is empty");
  require(data.train || format == DataFormat::kNpy, "convert",
          "samples can only be written as npy, not as {}", name_of(format));
  require_one_size(data, format);
  with_io_errors("convert", [&] { write_whole(context, data, path, format); });
}

}  // namespace krica
