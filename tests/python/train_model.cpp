// SPDX-License-Identifier: BSD-3-Clause
//
// train_model DATA.npy LABELS.npy OPTIONS.json MODEL: a model as a C++ program trains it, to be
// compared with those of the command and of Python. LABELS.npy may be "-" for a basis alone.
#include <fstream>
#include <iterator>

#include "krica/data/dataset.hpp"
#include "krica/models/training.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string labels = argv[2];
  std::ifstream file(argv[3]);
  const std::string json((std::istreambuf_iterator<char>(file)), {});
  const krica::PipelineOptions options = krica::options_from_json(json);
  const krica::Context context({.threads = 2, .seed = options.seed});
  krica::OpenOptions open;
  const bool labelled = labels != "-";
  if (labelled) open.labels = labels;
  const krica::DataSet data = krica::open_dataset(context, argv[1], open);
  const krica::ImageSetPtr images =
      data.is_samples() ? krica::as_images(data.train_samples) : data.train;
  krica::train(context, *images, {.options = options, .classifier = labelled}).save(argv[4]);
  return 0;
}
