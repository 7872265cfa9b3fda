// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/support.hpp"
#include "session.hpp"

using namespace krica;

namespace {

/// A command with the options of `train`. It is made once: that takes far longer than a file.
class Command {
 public:
  Command() {
    cli::add_session_options(app_, session_);
    cli::add_data_options(app_, data_);
    cli::add_pipeline_options(app_, options_);
  }

  /// As if it had just been made and got --config.
  void apply(const std::filesystem::path& config) {
    app_.clear();
    session_ = {};
    data_ = {};
    options_ = {};
    session_.config = config;
    cli::apply_config(app_, session_);
    options_.validate();
  }

 private:
  CLI::App app_{"as train", "train"};
  cli::SessionOptions session_;
  cli::DataOptions data_;
  PipelineOptions options_;
};

}  // namespace

KRICA_FUZZ_TARGET(config) {
  static Command command;
  try {
    command.apply(fuzz::scratch_file("krica.toml", input));
  } catch (const CLI::ParseError&) {
  } catch (const cli::UsageError&) {
  }
}
