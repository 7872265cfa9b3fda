// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "data/npy.hpp"
#include "data/same_data.hpp"
#include "krica/models/model.hpp"
#include "krica/runtime/error.hpp"
#include "one_of.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"
#include "session.hpp"
#include "waiting.hpp"

namespace krica::cli {
namespace {

struct EncodeCommand {
  SessionOptions session;
  DataOptions data;
  std::filesystem::path model;
  std::filesystem::path features;
  std::string split = "train";
};

void run_encode(CLI::App& app, EncodeCommand& command) {
  apply_config(app, command.session);
  check_target(command.features);
  const Model model = Model::load(command.model);
  const Context context = make_context(command.session, model.options().seed);
  hold_outputs({command.features});
  require_same_content(context, command.model);
  const DataSet data = open_as_learned(context, command.data, model);
  const ImageSetPtr images = command.split == "test" ? data.test : data.train;
  if (!images) throw DataError(fmt::format("[encode] the data has no {} part", command.split));
  announce_encoding(context, command.session, "encoding", *images, model.options());
  const Context shared = sharing(context);
  const Context writing =
      context.with_shared_rows();  // also on GPUs, where all ranks have all rows
  NpyRows file(writing, command.features, images->size(), model.n_features());
  // A quarter of the memory budget at a time.
  const Index rows = std::max<Index>(64, context.memory_bytes() / 4 / (4 * model.n_features()));
  for (Index first = 0; first < images->size(); first += rows) {
    std::vector<Index> part;
    for (Index i = first; i < std::min(first + rows, images->size()); ++i) part.push_back(i);
    FeatureMatrix features = model.transform(shared, *subset(images, part));
    const Range own = own_share(writing, features.rows());
    agree(writing, [&] {
      file.write(first + own.begin, own.size(),
                 features.view().data() + own.begin * features.cols());
    });
  }
  file.commit();
  end_progress_line();
  if (command.session.json) {
    print_json(
        {{"features", command.features.string()}, {"shape", {images->size(), model.n_features()}}});
  } else {
    fmt::print("{}: {} {} x {} features\n", command.features.string(), images->size(),
               noun_of(images->shape()), model.n_features());
  }
}

}  // namespace

void add_encode(CLI::App& app) {
  auto command = std::make_shared<EncodeCommand>();
  CLI::App* sub = app.add_subcommand(
      "encode", "Compute pooled features of images, or codes of samples, as an .npy file");
  add_path(*sub, "MODEL", command->model, "model file")->required();
  add_data_options(*sub, command->data);
  add_path(*sub, "-o,--output", command->features, ".npy file to write")->required();
  sub->add_option("--split", command->split, "part of the data to encode")
      ->check(one_of({"train", "test"}))
      ->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer(
      "\nExample: krica encode clothes.krica embedded -o features.npy\n"
      "         krica encode signals.krica signals.npy -o codes.npy");
  sub->callback([sub, command] { run_encode(*sub, *command); });
}

}  // namespace krica::cli
