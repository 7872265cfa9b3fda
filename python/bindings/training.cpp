// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/training.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "krica/data/image_set.hpp"
#include "models/estimate.hpp"
#include "options.hpp"

namespace krica::python {
namespace {

py::dict to_dict(const TrainingReport& report) {
  py::dict seconds;
  for (const StageTime& stage : report.stages) {
    const char* name = stage.stage.c_str();
    const double before = seconds.contains(name) ? seconds[name].cast<double>() : 0.0;
    seconds[name] = before + stage.seconds;
  }
  return py::dict(py::arg("seconds") = seconds, py::arg("resumed") = report.resumed,
                  py::arg("held_out_accuracy") = report.held_out_accuracy,
                  py::arg("warning") = report.warning);
}

/// What training is going to do and about how long it will take; empty below `shortest` seconds.
std::string training_wait(const py::dict& options, const py::array& X, Index classes,
                          const py::dict& run, double shortest) {
  const PipelineOptions given = options_from(options);
  const Running running(run_options_from(run), given.seed);
  ImageSetPtr images = image_set(X, {});
  if (given.images > 0) images = first_images(images, given.images);
  const py::gil_scoped_release release;
  const DataFacts facts{images->shape(), images->size(), classes};
  const PipelineOptions settled = resolved(given, facts);
  const TrainingEstimate estimate =
      estimate_training(machine_speed(running.context()), facts, settled, reading_time(*images));
  return waiting_text(learning_text(facts, settled), estimate.seconds(), shortest);
}

/// The model, what is to be told about its making, and the exception that interrupted it, if any:
/// then the model is the best so far, or None where there is none yet.
py::tuple train_model(const py::dict& options, const py::array& X, const std::vector<int>& labels,
                      const std::vector<std::string>& class_names, const std::string& label_type,
                      bool classifier, const std::filesystem::path& checkpoint, const py::dict& run,
                      const std::shared_ptr<const Model>& start, AdamStream<float>* stream,
                      const py::object& initial_atoms) {
  TrainingJob job{options_from(options), checkpoint, classifier, start};
  job.stream = stream;
  job.best_when_cancelled = true;
  if (!initial_atoms.is_none())
    job.initial_atoms = Matrix<float>::copy_of(view_of<float>(initial_atoms, "init"));
  Running running(run_options_from(run), job.options.seed);
  ImageSetPtr images = image_set(X, {labels, class_names, krica::label_type(label_type)});
  if (job.options.images > 0) images = first_images(images, job.options.images);
  std::optional<Model> model;
  TrainingReport report;
  const py::object error =
      running.run([&] { model.emplace(train(running.context(), *images, job, &report)); });
  if (error.is_none() && !checkpoint.empty()) remove_checkpoint(checkpoint);
  const py::object result = model ? py::cast(std::move(*model)) : py::none();
  return py::make_tuple(result, to_dict(report), error);
}

}  // namespace

void bind_training(py::module_& module) {
  py::class_<AdamStream<float>>(module, "Stream", "Adam on data that arrive in parts.")
      .def(py::init<>())
      .def(py::pickle(
          [](const AdamStream<float>& stream) { return py::bytes(stream.saved().bytes()); },
          [](const py::bytes& bytes) {
            return AdamStream<float>(Archive::parse(std::string_view(bytes), "stream"));
          }));
  module.def("training_wait", &training_wait, py::arg("options"), py::arg("X"), py::arg("classes"),
             py::arg("run"), py::arg("shortest") = kShortestWait);
  module.def("train", &train_model, py::arg("options"), py::arg("X"), py::arg("labels"),
             py::arg("class_names"), py::arg("label_type"), py::arg("classifier"),
             py::arg("checkpoint"), py::arg("run"), py::arg("start") = py::none(),
             py::arg("stream") = py::none(), py::arg("initial_atoms") = py::none());
}

}  // namespace krica::python
