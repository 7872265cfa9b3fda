// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/farm.hpp"

#include <numeric>

namespace krica {

Context job_context(const Context& context, int group, int groups) {
  if (context.ranks() == nullptr || groups == context.ranks()->size())
    return context.with_ranks(nullptr);
  std::shared_ptr<Communicator> members = context.ranks()->split(group);
  return context.with_ranks(members->size() > 1 ? members : nullptr);
}

Context stopping_with_others(const Context& context, Pace& pace) {
  return context.with_progress([context, &pace](const Progress& progress) {
    if (pace.others_stopped()) context.cancel();
    context.notify(progress);
  });
}

std::vector<std::string> all_texts(const Context& context, const std::string& own) {
  if (!context.shares_rows()) return {own};
  Communicator& ranks = *context.ranks();
  std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks.size()));
  sizes[static_cast<std::size_t>(ranks.rank())] = own.size();
  ranks.all_gather(sizes.data(), std::vector<std::size_t>(sizes.size(), sizeof(std::size_t)));
  std::vector<std::size_t> places(sizes.size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), places.begin() + 1);
  std::string all(places.back(), ' ');
  own.copy(all.data() + places[static_cast<std::size_t>(ranks.rank())], own.size());
  ranks.all_gather(all.data(), sizes);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < sizes.size(); ++r) texts.push_back(all.substr(places[r], sizes[r]));
  return texts;
}

}  // namespace krica
