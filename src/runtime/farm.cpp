// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/farm.hpp"

#include <fmt/format.h>

#include <numeric>

namespace krica {

namespace {

ContextOptions options_of(const Context& context, int group, int groups) {
  ContextOptions options = {
      .threads = context.threads(),
      .seed = context.seed(),
      .memory_bytes = context.memory_bytes(),
      .device = context.cuda_device() ? fmt::format("cuda:{}", *context.cuda_device()) : "cpu",
      .precision = context.precision(),
      .device_memory_bytes = context.device_memory_bytes()};
  if (context.ranks() == nullptr || groups == context.ranks()->size()) return options;
  options.ranks = context.ranks()->split(group);
  if (options.ranks->size() == 1) options.ranks.reset();
  return options;
}

}  // namespace

FarmHand::FarmHand(const Context& context, int group, int groups)
    : context_([&] {
        ContextOptions options = options_of(context, group, groups);
        options.progress = [this, context](const Progress& progress) {
          context.notify(progress);
          if (context.wants_to_stop()) context_.cancel();
        };
        return options;
      }()) {}

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
