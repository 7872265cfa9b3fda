// SPDX-License-Identifier: BSD-3-Clause
//
// Trains a classifier on a data set, saves it, and applies the saved model to the test images:
//
//   train_classifier [DATA [MODEL]]      the built-in images, model.krica
#include <exception>
#include <iostream>
#include <krica/data/dataset.hpp>
#include <krica/krica.hpp>
#include <string>
#include <vector>

namespace {

krica::PipelineOptions options() {
  krica::PipelineOptions options;
  options.method = "omp-1";
  options.basis.components = 200;
  options.descriptor.patches = 50000;
  return options;
}

double fraction_of_equals(const std::vector<int>& predicted, const std::vector<int>& labels) {
  double equal = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) equal += predicted[i] == labels[i] ? 1 : 0;
  return equal / static_cast<double>(labels.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "embedded";
  const std::string file = argc > 2 ? argv[2] : "model.krica";
  try {
    const krica::Context context({.seed = 7});
    const krica::DataSet data = krica::open_dataset(context, path);
    if (!data.train || !data.test)
      throw krica::DataError(path + ": images in two parts are needed");
    krica::train(context, *data.train, {.options = options()}).save(file);

    const krica::Model model = krica::Model::load(file);
    const std::vector<int> predicted = model.predict(context, *data.test);
    std::cout << model.class_names().size() << " classes, " << model.n_features()
              << " features, accuracy " << fraction_of_equals(predicted, data.test->labels())
              << " on " << data.test->size() << " images\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
