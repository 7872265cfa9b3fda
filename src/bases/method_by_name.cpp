// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include "krica/bases/basis.hpp"
#include "krica/runtime/words.hpp"

namespace krica {

const BasisMethod& basis_method(std::string_view name) {
  std::vector<std::string> known;
  for (const BasisMethod& method : basis_methods()) {
    if (method.name == name) return method;
    known.emplace_back(method.name);
  }
  unknown_word("method", name, known, "method");
}

}  // namespace krica
