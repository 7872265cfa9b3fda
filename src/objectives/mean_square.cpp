// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/mean_square.hpp"

#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

template <class Scalar>
double mean_square(const Context& context, ConstMatrixView<Scalar> X, std::string_view operation) {
  const Partition tiles(X.rows(), 1024);
  const double sum =
      ordered_reduce(context, tiles.count(), work_of(X.size(), kPerValue), [&](Index t) {
        double squares = 0;
        for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
          const Scalar* x = X.data() + i * X.outerStride();
          squares += ordered_dot(x, x, X.cols());
        }
        return squares;
      });
  require(sum > 0, operation, "the samples are all zero");
  return sum / static_cast<double>(X.rows() * X.cols());
}

template double mean_square(const Context&, ConstMatrixView<float>, std::string_view);
template double mean_square(const Context&, ConstMatrixView<double>, std::string_view);

}  // namespace krica
