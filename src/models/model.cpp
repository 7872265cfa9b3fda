// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/model.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/calibration.hpp"
#include "data/labels.hpp"
#include "data/mirrored.hpp"
#include "models/flat_object.hpp"
#include "models/layers.hpp"
#include "models/memory_plan.hpp"
#include "models/model_limits.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "models/raw_pixels.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "runtime/sharing.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::string_view kKind = "krica-model";

[[noreturn]] void refuse(const std::string& reason) { throw DataError(reason); }

void check_format(const Archive& archive) {
  if (!archive.has_text("kind") || archive.text("kind") != kKind) {
    const std::string kind = archive.has_text("kind") ? archive.text("kind") : "unknown";
    refuse(fmt::format("not a model (kind: {})", kind));
  }
  const int format = std::atoi(archive.text("format").c_str());
  if (format < 1 || format > kFormat) {
    refuse(fmt::format("format {} is newer than this program's ({}); update krica",
                       archive.text("format"), kFormat));
  }
}

std::string preparation_json(const ImagePreparation& preparation) {
  json object = {{"image-size-rule", name_of(preparation.size_rule)},
                 {"exif-orientation", preparation.exif_orientation}};
  if (preparation.size_rule == ImageSizeRule::kWithin)
    object["image-size"] = preparation.longest_side;
  return object.dump();
}

/// Older model files do not store it; their images were scaled to a square and never rotated.
ImagePreparation preparation_from(const Archive& archive) {
  if (!archive.has_text("preparation")) return {ImageSizeRule::kSquare, false};
  const json object = flat_object(archive.text("preparation"), "preparation");
  ImagePreparation preparation{image_size_rule(object.at("image-size-rule").get<std::string>()),
                               object.at("exif-orientation").get<bool>()};
  if (!object.contains("image-size")) return preparation;
  const json& side = object.at("image-size");
  if (!side.is_number_unsigned() || side.get<std::uint64_t>() > kLongestModelSide)
    refuse(fmt::format("an image-size of {}, it must be 0 to {}", side.dump(), kLongestModelSide));
  preparation.longest_side = side.get<Index>();
  return preparation;
}

ImageShape shape_from(const Archive& archive) {
  const auto sides = archive.vector<std::int64_t>("image_shape", 3);
  return {sides[0], sides[1], sides[2]};
}

void check_atom_class(const Model::Parts& parts) {
  if (parts.atom_class.empty()) return;
  const auto [least, most] = std::minmax_element(parts.atom_class.begin(), parts.atom_class.end());
  const Index classes =
      parts.class_names.empty() ? kMostClasses : static_cast<Index>(parts.class_names.size());
  if (std::ssize(parts.atom_class) != parts.extractor->encoder().atoms().rows() || *least < 0 ||
      *most >= classes) {
    refuse("the atoms' classes (atom_class) do not fit the atoms or the class names");
  }
}

Index signal_channels_from(const Archive& archive, const ImageShape& shape) {
  const Index channels = std::atoll(archive.text("signal_channels").c_str());
  if (channels < 1 || shape.values() % channels != 0)
    refuse(fmt::format("{} values do not divide into {} channels", shape.values(), channels));
  return channels;
}

/// The model's data and training metadata.
Model::Parts description_from(const Archive& archive) {
  Model::Parts parts;
  parts.options = options_from_json(archive.text("options"));
  parts.class_names = json::parse(archive.text("class_names")).get<std::vector<std::string>>();
  if (archive.has_text("label_type")) parts.label_type = label_type(archive.text("label_type"));
  parts.fingerprint = archive.text("fingerprint");
  parts.preparation = preparation_from(archive);
  if (archive.has_text("precision")) parts.precision = archive.text("precision");
  if (archive.has_text("value_range")) parts.value_range = value_range(archive.text("value_range"));
  parts.seen = SeenImages::load(archive);
  parts.basis_status = archive.text("basis_status");
  parts.history = history_from(archive);
  parts.shape = shape_from(archive);
  return parts;
}

void take_extractor(const Archive& archive, Model::Parts& parts) {
  parts.units = SampleUnits::load(archive);
  if (!parts.units.centre.empty() && std::ssize(parts.units.centre) != parts.shape.values())
    refuse("the samples' centre (units.centre) does not fit the image_shape");
  const PipelineOptions layer = layer_of(parts.options);
  Encoder encoder = Encoder::load(encoder_of(layer), archive);
  parts.extractor.emplace(features_of(layer), parts.shape, Preprocessing::load(archive),
                          std::move(encoder));
  if (archive.has("atom_class")) parts.atom_class = archive.vector<std::int64_t>("atom_class");
  check_atom_class(parts);
}

void check_classifier(const ClassifierParts& classifier, Index features, Index classes) {
  const auto standardised = std::ssize(classifier.standardiser.mean());
  if (classifier.dictionary) {
    if (classifier.dictionary->projection.inputs() != features)
      refuse("the dictionary's projection does not fit the features");
    features = classifier.dictionary->encoder.channels();
  }
  if (classifier.linear.n_features() != features || classifier.linear.n_classes() != classes ||
      (standardised != 0 && standardised != features)) {
    refuse("the classifier does not fit the features or the class names");
  }
}

Model model_from(const Archive& archive) {
  check_format(archive);
  Model::Parts parts = description_from(archive);
  const bool network = basis_method(parts.options.method).network;
  if (network) {
    check_network_size(parts.shape, parts.options);
    parts.network =
        ConvNetwork::load(archive, parts.shape, conv_layers_of(parts.options, parts.shape),
                          features_of(parts.options));
  } else {
    check_model_size(parts.shape, layer_of(parts.options),
                     archive.has("atoms") ? archive.matrix<float>("atoms").rows() : 0);
  }
  if (archive.has_text("signal_channels"))
    parts.signal_channels = signal_channels_from(archive, parts.shape);
  if (!network && archive.has("atoms")) take_extractor(archive, parts);
  parts.classifier = ClassifierParts::load_if(archive);
  Model model(std::move(parts));
  if (model.has_classifier()) {
    check_classifier(*model.parts().classifier, model.n_features(),
                     static_cast<Index>(model.class_names().size()));
  }
  return model;
}

/// A range of images as a separate set, so that scores can be computed in batches.
class Window final : public ImageSet {
 public:
  Window(const ImageSet& whole, Range range)
      : ImageSet(info_of(whole, range)), whole_(whole), range_(range) {}

  [[nodiscard]] std::string item_name(Index i) const override {
    return whole_.item_name(range_.begin + i);
  }

 private:
  static ImageSetInfo info_of(const ImageSet& whole, Range range) {
    ImageSetInfo info = whole.info();
    info.size = range.size();
    if (whole.varied()) {
      info.shapes.assign(whole.info().shapes.begin() + range.begin,
                         whole.info().shapes.begin() + range.end);
    }
    info.labels.clear();
    info.class_names.clear();
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    whole_.read(range_.begin + first, count, out);
  }
  void load_floats(Index first, Index count, float* out) const override {
    whole_.read(range_.begin + first, count, out);
  }
  void load_doubles(Index first, Index count, double* out) const override {
    whole_.read(range_.begin + first, count, out);
  }

  const ImageSet& whole_;
  Range range_;
};

}  // namespace

void ClassifierParts::save(Archive& archive) const {
  standardiser.save(archive);
  linear.save(archive);
  if (temperature) archive.put_scalar("temperature", *temperature);
  if (dictionary) dictionary->save(archive);
}

Matrix<float> ClassifierParts::scores(const Context& context, FeatureMatrix& features) const {
  if (!dictionary) {
    standardiser.apply_in_place(context, features.view());
    return linear.scores(context, std::as_const(features).view());
  }
  Matrix<float> codes = dictionary->of(context, std::as_const(features).view());
  standardiser.apply_in_place(context, codes);
  return linear.scores(context, codes);
}

std::optional<ClassifierParts> ClassifierParts::load_if(const Archive& archive) {
  if (!archive.has("svm.weights")) return std::nullopt;
  ClassifierParts parts{Standardiser::load(archive), LinearClassifier::load(archive)};
  parts.dictionary = DictionaryCodes::load_if(archive, kMostLassoAtoms);
  if (!archive.has("temperature")) return parts;
  parts.temperature = archive.scalar<double>("temperature");
  if (!(*parts.temperature >= kLowestTemperature && *parts.temperature <= kHighestTemperature)) {
    throw DataError(fmt::format("the temperature is {}, it must be {} to {}", *parts.temperature,
                                kLowestTemperature, kHighestTemperature));
  }
  return parts;
}

Model::Model(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}

const PipelineOptions& Model::options() const { return parts_->options; }
ImageShape Model::shape() const { return parts_->shape; }
const std::vector<std::string>& Model::class_names() const { return parts_->class_names; }
const std::string& Model::basis_status() const { return parts_->basis_status; }
bool Model::has_classifier() const { return parts_->classifier.has_value(); }
bool Model::has_probabilities() const {
  return has_classifier() && parts_->classifier->temperature.has_value();
}

bool Model::accepts_any_size() const { return parts_->extractor && parts_->extractor->any_size(); }

bool Model::accepts(const ImageShape& given) const {
  return given == shape() || (accepts_any_size() && !given.is_sample());
}

Index Model::n_features() const {
  return parts_->features() != nullptr ? parts_->features()->features() : parts_->shape.values();
}

ImageSetPtr Model::in_learned_range(const Context& context, const ImageSet& images) const {
  if (parts_->value_range) {
    if (ImageSetPtr scaled = in_range(context, images, *parts_->value_range)) return scaled;
  }
  return {ImageSetPtr(), &images};  // not owned: the caller keeps it alive
}

FeatureMatrix Model::transform(const Context& context, const ImageSet& images) const {
  return features_in_range(context, *in_learned_range(context, images));
}

FeatureMatrix Model::features_in_range(const Context& context, const ImageSet& images) const {
  require_room_for_images(context, images);
  if (const ImageFeatures* features = parts_->features()) {
    require(accepts(images.shape()), "features", "the model was trained on {}, but these are {}",
            to_text(shape()), to_text(images.shape()));
    return features->extract(context, SamplesInUnits(images, parts_->units));
  }
  return raw_pixels(context, images, parts_->shape, features_of(parts_->options).unit_length);
}

Matrix<float> Model::scores(const Context& context, const ImageSet& images) const {
  Matrix<float> all(images.size(), n_scores());
  visit_scores(context, images, [&](Index first, const Matrix<float>& part) {
    MatrixView<float>(all).rows_between(first, first + part.rows()) = part.view();
  });
  return all;
}

Index Model::n_scores() const {
  require(has_classifier(), "model", "the model has no classifier; train one with labels");
  return parts_->classifier->linear.n_classes();
}

void Model::visit_scores(
    const Context& context, const ImageSet& images,
    const std::function<void(Index first, const Matrix<float>& scores)>& visit) const {
  const ImageSetPtr learned = in_learned_range(context, images);
  // Dictionaries and raw pixels are computed alike on every rank.
  const bool divides = parts_->features() != nullptr && !parts_->classifier->dictionary;
  const Context own = divides ? sharing(context) : context;
  // A round of images has a quarter of the memory budget, but is a few dozen where they fit at all.
  const Index row_bytes = (n_features() + 2 * n_scores()) * static_cast<Index>(sizeof(float));
  const Index least = std::clamp<Index>(own.memory_bytes() / row_bytes, 1, 64);
  const Partition rounds(images.size(), std::max(least, own.memory_bytes() / 4 / row_bytes));
  const auto scores_of = [&](const ImageSet& round) {
    FeatureMatrix features = features_in_range(own, round);
    return parts_->classifier->scores(own, features);
  };
  for (Index r = 0; r < rounds.count(); ++r) {
    const Window round(*learned, rounds[r]);
    Matrix<float> scores = scores_of(round);
    if (parts_->options.classifier.test_flips) {
      const Matrix<float> mirrored = scores_of(Mirrored(round));
      for (Index e = 0; e < scores.size(); ++e)
        scores.data()[e] = (scores.data()[e] + mirrored.data()[e]) / 2;
    }
    visit(rounds[r].begin, scores);
  }
}

Matrix<float> Model::probabilities(const Context& context, const ImageSet& images) const {
  require(has_probabilities(), "model",
          "the model has no calibrated probabilities, only scores; train it again");
  return probabilities_of(scores(context, images), *parts_->classifier->temperature);
}

std::vector<int> Model::predict(const Context& context, const ImageSet& images) const {
  std::vector<int> classes;
  visit_scores(context, images, [&](Index, const Matrix<float>& part) {
    const std::vector<int> best = best_classes(part);
    classes.insert(classes.end(), best.begin(), best.end());
  });
  return classes;
}

bool Model::has_atom_images() const {
  if (parts_->network) return true;
  return parts_->extractor && parts_->extractor->preprocessing().linear_whitening() != nullptr &&
         parts_->extractor->options().descriptors.kind == DescriptorKind::kPixels;
}

Matrix<float> Model::atom_images() const {
  require(parts_->features() != nullptr, "model", "raw pixels have no atoms to show");
  if (parts_->network) return Matrix<float>::copy_of(parts_->atoms());  // as the filters are
  require(parts_->extractor->options().descriptors.kind == DescriptorKind::kPixels, "model",
          "atoms of SIFT are histograms of gradients and have no picture");
  Matrix<float> atoms =
      parts_->extractor->preprocessing().unwhiten(parts_->extractor->encoder().atoms());
  atoms.view() /= static_cast<float>(parts_->units.scale);
  return atoms;
}

Archive Model::to_archive() const {
  Archive archive;
  archive.put_text("kind", std::string(kKind));
  archive.put_text("format", std::to_string(kFormat));
  archive.put_text("options", to_json(parts_->options));
  archive.put_text("class_names", json(parts_->class_names).dump());
  archive.put_text("label_type", std::string(name_of(parts_->label_type)));
  archive.put_text("fingerprint", parts_->fingerprint);
  archive.put_text("preparation", preparation_json(parts_->preparation));
  if (parts_->signal_channels > 1)
    archive.put_text("signal_channels", std::to_string(parts_->signal_channels));
  if (parts_->value_range)
    archive.put_text("value_range", std::string(name_of(*parts_->value_range)));
  if (!parts_->precision.empty()) archive.put_text("precision", parts_->precision);
  parts_->seen.save(archive);
  archive.put_text("basis_status", parts_->basis_status);
  const std::vector<std::int64_t> shape = {parts_->shape.height, parts_->shape.width,
                                           parts_->shape.channels};
  archive.put_vector<std::int64_t>("image_shape", shape);
  put_history(archive, parts_->history);
  if (parts_->extractor) {
    parts_->units.save(archive);
    parts_->extractor->encoder().save(archive);
    if (!parts_->atom_class.empty())
      archive.put_vector<std::int64_t>("atom_class", parts_->atom_class);
    parts_->extractor->preprocessing().save(archive);
  }
  if (parts_->network) parts_->network->save(archive);
  if (parts_->classifier) parts_->classifier->save(archive);
  return archive;
}

Model Model::from_archive(const Archive& archive, const std::string& source) {
  // Anything that does not fit is invalid data here, and the message names the file.
  const auto refused = [&](const std::exception& error) {
    return DataError(fmt::format("[model] {}: {}", source, error.what()));
  };
  try {
    return model_from(archive);
  } catch (const json::exception& error) {
    throw refused(error);
  } catch (const InvalidArgument& error) {
    throw refused(error);
  } catch (const DataError& error) {
    throw refused(error);
  }
}

Model Model::load(const std::filesystem::path& path) {
  return from_archive(Archive::load(path), path.string());
}

}  // namespace krica
