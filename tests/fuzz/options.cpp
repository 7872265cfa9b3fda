// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/options.hpp"

#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(options) {
  const PipelineOptions options = options_from_json(std::string(fuzz::text_of(input)));
  const std::string text = to_json(options);
  if (to_json(options_from_json(text)) != text) fuzz::fail("options change on their way");
  options.validate();
}
