// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "runtime/large_matrix.hpp"
#include "runtime/thread_pool.hpp"
#include "runtime/work_per_thread.hpp"

namespace krica {

namespace {

std::atomic<double> work_per_thread{kWorkPerThread};

int useful_threads(const Context& context, Index count, Work work) {
  const double worth =
      std::max(1.0, work.operations / work_per_thread.load(std::memory_order_relaxed));
  const auto most = static_cast<double>(std::min<Index>(context.threads(), count));
  return static_cast<int>(std::min(most, worth));
}

}  // namespace

double set_work_per_thread(double operations) { return work_per_thread.exchange(operations); }

void parallel_for(const Context& context, Index count, Work work,
                  const std::function<void(Index)>& body) {
  context.check_cancelled();
  const int threads = useful_threads(context, count, work);
  if (threads <= 1 || ThreadPool::inside_loop()) {
    for (Index i = 0; i < count; ++i) {
      context.check_cancelled();
      body(i);
      release_pages_when_due();
    }
    return;
  }
  const std::function<void(Index)> unless_cancelled = [&](Index i) {
    context.check_cancelled();
    body(i);
    release_pages_when_due();
  };
  ThreadPool::of_process().run(std::make_shared<SharedLoop>(count, unless_cancelled), threads - 1);
  context.check_cancelled();
}

namespace {

constexpr Index kLanes = 8;

/// Σ term(i) over fixed lanes, so that compilers vectorise it without changing the order.
template <class Term>
double lane_sum(Index count, Term term) {
  std::array<double, kLanes> lanes{};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane)
      lanes[static_cast<std::size_t>(lane)] += term(i + lane);
  }
  for (Index lane = 0; i < count; ++i, ++lane) lanes[static_cast<std::size_t>(lane)] += term(i);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

}  // namespace

template <class Scalar>
double ordered_dot(const Scalar* a, const Scalar* b, Index count) {
  return lane_sum(count,
                  [=](Index i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

template <class Scalar>
double ordered_squared_distance(const Scalar* a, const Scalar* b, Index count) {
  return lane_sum(count, [=](Index i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    return difference * difference;
  });
}

template <class Scalar>
double ordered_sum(const Scalar* a, Index count) {
  return lane_sum(count, [=](Index i) { return static_cast<double>(a[i]); });
}

template double ordered_dot(const float*, const float*, Index);
template double ordered_dot(const double*, const double*, Index);
template double ordered_squared_distance(const float*, const float*, Index);
template double ordered_squared_distance(const double*, const double*, Index);
template double ordered_sum(const float*, Index);
template double ordered_sum(const double*, Index);

}  // namespace krica
