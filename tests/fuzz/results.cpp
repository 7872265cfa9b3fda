// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/results.hpp"

#include "fuzz/support.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(results) {
  if (fuzz::take_choice(input) % 4 == 0) {
    ResultsFile results(fuzz::scratch_file("results.jsonl", input));
    results.forget_failures();
    return;
  }
  const ResultRow row = row_from_json(std::string(fuzz::text_of(input)), "input");
  const std::string text = to_json(row);
  if (to_json(row_from_json(text, "again")) != text) fuzz::fail("a row changes on its way");
}
