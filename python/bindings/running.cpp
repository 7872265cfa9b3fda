// SPDX-License-Identifier: BSD-3-Clause
#include "running.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"

namespace krica::python {
namespace {

constexpr std::chrono::milliseconds kSignalInterval{50};

}  // namespace

Running::Running(const RunOptions& options, std::uint64_t seed) : callback_(options.callback) {
  ContextOptions context{.threads = options.threads,
                         .seed = seed,
                         .memory_bytes = options.memory,
                         .device = options.device,
                         .precision = from_words<Precision>(options.precision, "precision"),
                         .device_memory_bytes = options.device_memory};
  if (!callback_.is_none()) context.progress = [this](const Progress& p) { report(p); };
  context_.emplace(std::move(context));
}

py::object Running::run(const std::function<void()>& work) {
  {
    const py::gil_scoped_release release;
    std::packaged_task<void()> task(work);
    std::future<void> done = task.get_future();
    std::thread worker(std::move(task));
    while (done.wait_for(kSignalInterval) != std::future_status::ready) look_for_signals();
    worker.join();
    look_for_signals();  // so that one of the last moment is not taken for another's
    try {
      done.get();
    } catch (const Cancelled&) {
      // Its cause is in error_.
    }
  }
  return error_;
}

void Running::run_or_throw(const std::function<void()>& work) {
  const py::object error = run(work);
  if (error.is_none()) return;
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

void Running::report(const Progress& progress) {
  const py::gil_scoped_acquire acquire;
  if (!error_.is_none()) return;
  try {
    callback_(py::dict(py::arg("stage") = std::string(progress.stage),
                       py::arg("step") = progress.step, py::arg("total") = progress.total,
                       py::arg("value") = progress.value,
                       py::arg("note") = std::string(progress.note)));
  } catch (py::error_already_set& error) {
    stop(error);
  }
}

void Running::look_for_signals() {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return;
  py::error_already_set error;
  stop(error);
}

/// The first exception is the one that is told.
void Running::stop(py::error_already_set& error) {
  if (error_.is_none()) error_ = error.value();
  context_->cancel();
}

}  // namespace krica::python
