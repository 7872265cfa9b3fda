// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/support.hpp"
#include "session.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(config) {
  CLI::App command("as train", "train");
  cli::SessionOptions session;
  cli::DataOptions data;
  PipelineOptions options;
  cli::add_session_options(command, session);
  cli::add_data_options(command, data);
  cli::add_pipeline_options(command, options);
  session.config = fuzz::scratch_file("krica.toml", input);
  try {
    cli::apply_config(command, session);
    options.validate();
  } catch (const CLI::ParseError&) {
  } catch (const cli::UsageError&) {
  }
}
