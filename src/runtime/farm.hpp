// SPDX-License-Identifier: BSD-3-Clause
//
// Independent jobs, farmed out in rounds: rank r of N computes the r-th job of a round of N on its
// own. A round of fewer jobs, the last one, is computed by as many groups of ranks, each of which
// divides its job. After a round all ranks get the results, in the order of the jobs, so the ranks
// wait for the longest job of a round. Without ranks, one job after another.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/pace.hpp"
#include "runtime/ranks.hpp"

namespace krica {

/// The texts of all ranks, by rank; each gives its own.
KRICA_EXPORT std::vector<std::string> all_texts(const Context& context, const std::string& own);

/// Called by all ranks: the context in which this one computes its job of a round, as a member of
/// the group-th of so many groups. It has no ranks if the group has one member.
Context job_context(const Context& context, int group, int groups);

/// The same context, which is cancelled when another rank has stopped.
Context stopping_with_others(const Context& context, Pace& pace);

/// compute(context, job, result) appends a job's result in a context of this rank alone, or of its
/// group; in a group, what the first rank appends counts. take(job, result) gets it, on all ranks,
/// unless it is empty. If a job throws on any rank, all throw, once they have taken what the jobs
/// of the round had appended by then: the one that failed as well; jobs that are not done by then
/// stop, as after cancel(). If a group's job throws anything
/// but Cancelled, farm() throws it at once, since other ranks of the group may not know of it and
/// wait for this one: the caller must end them.
template <class Compute, class Take>
void farm(const Context& context, Index jobs, Compute compute, Take take) {
  const int ranks = context.ranks() == nullptr ? 1 : context.ranks()->size();
  const int rank = context.ranks() == nullptr ? 0 : context.ranks()->rank();
  const Context together = context.with_shared_rows();
  for (Index first = 0; first < jobs; first += ranks) {
    const int groups = static_cast<int>(std::min<Index>(ranks, jobs - first));
    const int group = owner_of(rank, ranks, groups);
    const Context own_context = job_context(context, group, groups);
    std::string own;
    std::exception_ptr failure;
    Pace pace(together, "other jobs", 0);
    try {
      compute(stopping_with_others(own_context, pace), first + group, own);
    } catch (const Cancelled&) {
      failure = std::current_exception();
    } catch (...) {
      if (own_context.ranks() != nullptr) throw;
      failure = std::current_exception();
    }
    try {
      failure ? pace.stop() : pace.finish();
    } catch (...) {  // progress could not be shown
      if (!failure) failure = std::current_exception();
    }
    const std::vector<std::string> results = all_texts(together, own);
    agree(together, [&] {
      for (int g = 0; g < groups; ++g) {
        const Index leader = share_of(ranks, g, groups).begin;
        const std::string& result = results[static_cast<std::size_t>(leader)];
        if (!result.empty()) take(first + g, result);
      }
    });
    agree(together, [&] {
      if (failure) std::rethrow_exception(failure);
    });
    context.check_cancelled();
  }
}

}  // namespace krica
