// SPDX-License-Identifier: BSD-3-Clause
//
// Independent jobs, farmed out: rank r of N computes jobs r, r + N, r + 2N ... on its own. After
// each round of N jobs all ranks get the results, in the order of the jobs, so the ranks wait for
// the longest job of a round. Without ranks, one job after another.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "runtime/ranks.hpp"

namespace krica {

/// The results of this round, by rank; each rank gives its own.
std::vector<std::string> all_texts(const Context& context, const std::string& own);

/// The options of a context for this process alone, but for its progress.
ContextOptions options_alone(const Context& context);

/// compute(context, job, result) appends a job's result in a context without ranks; take(job,
/// result) gets it, on all ranks, unless it is empty. If a job throws on any rank, all throw, once
/// they have taken what the jobs of the round had appended by then: the one that failed as well. A
/// rank that was asked to stop throws Cancelled when its job next reports progress.
template <class Compute, class Take>
void farm(const Context& context, Index jobs, Compute compute, Take take) {
  const int ranks = context.ranks() == nullptr ? 1 : context.ranks()->size();
  const int rank = context.ranks() == nullptr ? 0 : context.ranks()->rank();
  const Context together = context.with_shared_rows();
  ContextOptions options = options_alone(context);
  const Context* self = nullptr;
  options.progress = [&](const Progress& progress) {
    context.notify(progress);
    if (context.wants_to_stop()) self->cancel();
  };
  const Context alone(options);
  self = &alone;
  for (Index first = 0; first < jobs; first += ranks) {
    std::string own;
    std::exception_ptr failure;
    try {
      if (first + rank < jobs) compute(alone, first + rank, own);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::vector<std::string> results = all_texts(together, own);
    agree(together, [&] {
      for (Index job = first; job < std::min(first + ranks, jobs); ++job) {
        const std::string& result = results[static_cast<std::size_t>(job - first)];
        if (!result.empty()) take(job, result);
      }
    });
    agree(together, [&] {
      if (failure) std::rethrow_exception(failure);
    });
    context.check_cancelled();
  }
}

}  // namespace krica
