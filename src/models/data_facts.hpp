// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/data/image_set.hpp"

namespace krica {

/// What automatic choices depend on: the data, never the clock or the machine.
struct DataFacts {
  ImageShape shape;   ///< of the images or samples; if sizes differ, of the box that holds each
  Index size = 0;     ///< images or samples to learn from; 0: unknown
  Index classes = 0;  ///< 0: unlabelled
  double filled = 1;  ///< of that box, by the average image
};

DataFacts facts_of(const ImageSet& images, bool classifier);

}  // namespace krica
