// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <fmt/format.h>

#include <new>

#include "commands.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/version.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

enum ExitCode {
  kSuccess = 0,
  kInternal = 1,
  kUsage = 2,
  kBadData = 3,
  kFileSystem = 4,
  kInterrupted = 130
};

int complain(int code, const std::string& what) {
  end_progress_line();
  fmt::print(stderr, "krica: {}\n", what);
  return code;
}

void describe(CLI::App& app) {
  app.description(
      "Learn sparse, over-complete, nonlinear and class-aware representations from images or "
      "samples.\n"
      "Example: krica train embedded -o clothes.krica --components 400");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("krica {}", version()));
  app.set_help_all_flag("--help-all", "Show help for all commands");
  app.get_formatter()->column_width(34);
}

}  // namespace

int run(int argc, char** argv) {
  handle_signals();
  set_command_line(argc, argv);
  CLI::App app;
  describe(app);
  add_demo(app);
  add_train(app);
  add_fit(app);
  add_encode(app);
  add_evaluate(app);
  add_predict(app);
  add_tune(app);
  add_show(app);
  add_info(app);
  add_reproduce(app);
  add_data(app);
  add_completion(app);
  add_man(app);
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kUsage;
  } catch (const Cancelled&) {
    return complain(kInterrupted, interrupted_message());
  } catch (const UsageError& error) {
    return complain(kUsage, error.what());
  } catch (const InvalidArgument& error) {
    return complain(kBadData,
                    error.what());  // the options were checked before: the data do not fit them
  } catch (const DataError& error) {
    return complain(kBadData, error.what());
  } catch (const IoError& error) {
    return complain(kFileSystem, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kFileSystem, "out of memory; lower --memory, --components or --patches");
  } catch (const std::exception& error) {
    return complain(kInternal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace krica::cli
