// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/reconstruction.hpp"
#include "models/votes.hpp"
#include "options.hpp"

namespace krica::python {
namespace {

namespace fs = std::filesystem;

py::array_t<float> transform(const Model& model, const py::array& X, const py::dict& run) {
  Running running(run_options_from(run), model.options().seed);
  const ImageSetPtr images = image_set(X);
  std::optional<FeatureMatrix> features;
  running.run_or_throw([&] { features.emplace(model.transform(running.context(), *images)); });
  return to_array(std::move(*features));
}

py::array_t<float> scores(const Model& model, const py::array& X, const py::dict& run) {
  Running running(run_options_from(run), model.options().seed);
  const ImageSetPtr images = image_set(X);
  Matrix<float> result;
  running.run_or_throw([&] { result = model.scores(running.context(), *images); });
  return to_array(std::move(result));
}

py::array_t<float> probabilities(const Model& model, const py::array& X, const py::dict& run) {
  Running running(run_options_from(run), model.options().seed);
  const ImageSetPtr images = image_set(X);
  Matrix<float> result;
  running.run_or_throw([&] { result = model.probabilities(running.context(), *images); });
  return to_array(std::move(result));
}

/// Images × rows × columns of positions: what each adds to the score of the class given for its
/// image.
py::array_t<float> position_votes_of(const Model& model, const py::array& X,
                                     const std::vector<Index>& classes, const py::dict& run) {
  Running running(run_options_from(run), model.options().seed);
  const ImageSetPtr given = image_set(X);
  const ImageSetPtr images = model.in_learned_range(running.context(), *given);
  if (!model.accepts(images->shape())) {
    throw InvalidArgument(fmt::format("[explain] the model was trained on {}, but these are {}",
                                      to_text(model.shape()), to_text(images->shape())));
  }
  std::vector<float> image(static_cast<std::size_t>(images->shape().values()));
  Matrix<float> votes;  // one image a row
  Index rows = 0;
  running.run_or_throw([&] {
    for (Index i = 0; i < images->size(); ++i) {
      running.context().check_cancelled();
      images->read(i, 1, image.data());
      const Matrix<float> of_image = position_votes(model, image.data(), images->shape_of(i),
                                                    classes.at(static_cast<std::size_t>(i)));
      rows = of_image.rows();
      if (i == 0) votes = Matrix<float>(images->size(), of_image.size());
      std::copy(of_image.data(), of_image.data() + of_image.size(), votes.row(i));
    }
  });
  const Index count = votes.rows();
  const Index columns = votes.cols() / rows;
  return to_array(std::move(votes)).reshape({count, rows, columns});
}

py::array_t<float> atoms(const Model& model) {
  if (model.parts().features() == nullptr)
    throw InvalidArgument("[model] raw pixels have no atoms");
  return to_array(Matrix<float>::copy_of(model.parts().atoms()));
}

py::array_t<float> samples_from(const Model& model, const py::array& codes) {
  return to_array(samples_from_codes(model, view_of<float>(codes, "codes")));
}

/// (filters, mean) in the space of the samples, or None where the preprocessing is not affine.
py::object filters_and_mean(const Model& model) {
  if (!model.parts().extractor) return py::none();
  if (!model.parts().extractor->preprocessing().is_affine()) return py::none();
  const std::vector<double> mean = input_mean(model);
  return py::make_tuple(to_array(input_filters(model)),
                        py::array_t<double>(static_cast<py::ssize_t>(mean.size()), mean.data()));
}

/// Rows of (iteration, evaluations, value, training_value, gradient_norm, change, step).
py::list history(const Model& model) {
  py::list rows;
  for (const HistoryRow& row : model.parts().history)
    rows.append(py::make_tuple(row.iteration, row.evaluations, row.value, row.training_value,
                               row.gradient_norm, row.change, row.step));
  return rows;
}

py::bytes bytes_of(const Model& model) { return model.to_archive().bytes(); }

Model from_bytes(const py::bytes& bytes) {
  return Model::from_archive(Archive::parse(std::string_view(bytes), "model"), "model");
}

Model load(const fs::path& path) {
  std::optional<Model> model;
  with_files(path, [&] {
    const py::gil_scoped_release release;
    model.emplace(Model::load(path));
  });
  return std::move(*model);
}

void save(const Model& model, const fs::path& path) {
  with_files(path.has_parent_path() ? path.parent_path() : ".", [&] {
    const py::gil_scoped_release release;
    model.save(path);
  });
}

py::tuple image_shape_of(const Model& model) {
  const ImageShape shape = model.shape();
  return py::make_tuple(shape.height, shape.width, shape.channels);
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model", "A trained pipeline.")
      .def("transform", &transform, py::arg("X"), py::arg("run"))
      .def("scores", &scores, py::arg("X"), py::arg("run"))
      .def("probabilities", &probabilities, py::arg("X"), py::arg("run"))
      .def("position_votes", &position_votes_of, py::arg("X"), py::arg("classes"), py::arg("run"))
      .def("samples_from_codes", &samples_from, py::arg("codes"))
      .def("atoms", &atoms)
      .def("input_filters", &filters_and_mean)
      .def("atom_images", [](const Model& model) { return to_array(model.atom_images()); })
      .def("save", &save, py::arg("path"))
      .def_static("load", &load, py::arg("path"))
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &from_bytes, py::arg("data"))
      .def_property_readonly("options", [](const Model& model) { return to_dict(model.options()); })
      .def_property_readonly("shape", &image_shape_of)
      .def_property_readonly("status", [](const Model& m) { return m.parts().basis_status; })
      .def_property_readonly("history", &history)
      .def_property_readonly("class_names", &Model::class_names)
      .def_property_readonly("label_type",
                             [](const Model& m) { return name_of(m.parts().label_type); })
      .def_property_readonly("atom_class", [](const Model& m) { return m.parts().atom_class; })
      .def_property_readonly("has_classifier", &Model::has_classifier)
      .def_property_readonly("n_features", &Model::n_features)
      .def(py::pickle(&bytes_of, &from_bytes));
}

}  // namespace krica::python
