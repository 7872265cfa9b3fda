// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "krica/solvers/adam.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "solvers/adam_update.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "adam-stream";

}  // namespace

template <class Scalar>
AdamStream<Scalar>::AdamStream(const Archive& archive) {
  check_origin(archive, kName, "");
  step_ = archive.scalar<std::int64_t>("counts");
  if (step_ < 0) throw DataError("[adam-stream] the state's counter is wrong");
  history_ = history_from(archive, &HistoryRow::training_value);
  if (!archive.has("W")) return;
  W_ = archive.matrix<Scalar>("W");
  first_moment_ = archive.matrix<Scalar>("first_moment");
  second_moment_ = archive.matrix<Scalar>("second_moment");
  for (const auto* moment : {&first_moment_, &second_moment_}) {
    if (moment->rows() != W_.rows() || moment->cols() != W_.cols())
      throw DataError("[adam-stream] the state's shapes do not fit together");
  }
}

template <class Scalar>
Archive AdamStream<Scalar>::saved() const {
  Archive state;
  put_origin(state, kName, "");
  state.put_scalar<std::int64_t>("counts", step_);
  put_history(state, history_);
  if (!begun()) return state;
  state.put("W", W_);
  state.put("first_moment", first_moment_);
  state.put("second_moment", second_moment_);
  return state;
}

template <class Scalar>
void AdamStream<Scalar>::begin(ConstMatrixView<Scalar> W) {
  W_ = Matrix<Scalar>::copy_of(W);
  first_moment_ = Matrix<Scalar>(W.rows(), W.cols());
  second_moment_ = first_moment_;
}

template <class Scalar>
Status AdamStream<Scalar>::pass(const Context& context, SampledObjective<Scalar>& objective,
                                const AdamOptions& options,
                                const std::function<Matrix<Scalar>()>& start) {
  options.validate();
  if (!begun()) begin(start());
  check_start<Scalar>(objective, W_, kName);
  const auto passes = static_cast<Index>(history_.size());
  Random random = context.random("adam.stream", static_cast<std::uint64_t>(passes));
  const std::vector<Index> order = random_permutation(random, objective.n_samples());
  const Partition batches(objective.n_samples(), std::min(options.batch, objective.n_samples()));
  Matrix<Scalar> gradient(W_.rows(), W_.cols());
  double sum = 0;
  try {
    for (Index b = 0; b < batches.count(); ++b) {
      const auto batch = std::span<const Index>(order).subspan(
          static_cast<std::size_t>(batches[b].begin), static_cast<std::size_t>(batches[b].size()));
      context.check_cancelled();
      const double value = objective.value_and_gradient_on(context, batch, W_, gradient);
      if (!std::isfinite(value) || !all_finite(gradient)) return Status::kNumericalTrouble;
      adam_update<Scalar>(options, ++step_, {options.rate}, gradient,
                          {W_, first_moment_, second_moment_});
      sum += value;
      context.report({kName, b + 1, batches.count(), value});
    }
    const double mean = sum / static_cast<double>(batches.count());
    history_.push_back({.iteration = passes + 1,
                        .evaluations = step_,
                        .value = mean,
                        .training_value = mean,
                        .step = options.rate});
    return examined<Scalar>(context, objective, W_, Status::kIterationLimit);
  } catch (const Cancelled&) {
    return Status::kCancelled;
  }
}

template class AdamStream<float>;
template class AdamStream<double>;

}  // namespace krica
