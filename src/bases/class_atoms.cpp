// SPDX-License-Identifier: BSD-3-Clause
#include "bases/class_atoms.hpp"

#include <algorithm>
#include <tuple>

#include "bases/clustering_run.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "class atoms";

struct Shares {
  Index classes;  // c
  Index each;     // k
};

Shares shares_of(const BasisRequest& request) {
  const Index K = request.options.components;
  require(
      !request.labels.empty(), kName,
      "a method or init by class needs labels, and the data has none; use labelled data, another "
      "init, or a method without classes such as krica or rica");
  const Index c = count_classes(request.labels, request.patches.rows());
  const Index below = K / c * c;
  require(K > 0 && K % c == 0, kName,
          "components must be a multiple of the {} classes, got {}; use {}", c, K,
          below > 0 ? fmt::format("{} or {}", below, below + c) : fmt::format("{}", c));
  return {c, K / c};
}

LargeMatrix rows_of_class(const Context& context, const BasisRequest& request, int label) {
  const auto count = std::count(request.labels.begin(), request.labels.end(), label);
  LargeMatrix rows(context, count, request.patches.cols());
  Index next = 0;
  for (Index i = 0; i < request.patches.rows(); ++i) {
    if (request.labels[static_cast<std::size_t>(i)] != label) continue;
    release_pages_when_due();
    rows.view().row(next++) = request.patches.row(i);
  }
  return rows;
}

/// affinity(u, y): the fraction of class y's patches in cluster u.
Matrix<double> affinities(const BasisRequest& request, const std::vector<Index>& assignment,
                          Index c) {
  Matrix<double> affinity(request.options.components, c);
  std::vector<double> totals(static_cast<std::size_t>(c), 0.0);
  for (const int label : request.labels) totals[static_cast<std::size_t>(label)] += 1;
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    const int label = request.labels[i];
    affinity(assignment[i], label) += 1 / totals[static_cast<std::size_t>(label)];
  }
  for (Index u = 0; u < affinity.rows(); ++u) {
    const double sum = affinity.view().row(u).sum();
    if (sum > 0) affinity.view().row(u) /= sum;  // a posterior under equal priors
  }
  return affinity;
}

/// The atoms of each class, k per class, strongest affinity first.
std::vector<std::vector<Index>> shared_out(const Matrix<double>& affinity, Index each) {
  std::vector<std::tuple<double, Index, Index>> pairs;
  for (Index u = 0; u < affinity.rows(); ++u) {
    for (Index y = 0; y < affinity.cols(); ++y) pairs.emplace_back(-affinity(u, y), u, y);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::vector<Index>> atoms(static_cast<std::size_t>(affinity.cols()));
  std::vector<char> given(static_cast<std::size_t>(affinity.rows()), 0);
  for (const auto& [negative, u, y] : pairs) {
    auto& own = atoms[static_cast<std::size_t>(y)];
    if (given[static_cast<std::size_t>(u)] != 0 || static_cast<Index>(own.size()) == each) continue;
    own.push_back(u);
    given[static_cast<std::size_t>(u)] = 1;
  }
  return atoms;
}

// Classes are clustered one after another: a state is that of the current class, with the atoms of
// the previous ones.
const std::string kClassesBefore = "class_atoms";

/// The class of the state, with the atoms of the previous classes; 0 without a state.
Index take_up_classes(const BasisRequest& request, const Shares& shares, Matrix<float>& atoms) {
  if (request.state == nullptr || !request.state->has(kClassesBefore)) return 0;
  const auto before = request.state->matrix<float>(kClassesBefore);
  if (before.cols() != atoms.cols() || before.rows() % shares.each != 0 ||
      before.rows() >= atoms.rows()) {
    throw DataError(fmt::format("[{}] the state's {} x {} atoms are not those of whole classes",
                                kName, before.rows(), before.cols()));
  }
  std::copy_n(before.data(), before.size(), atoms.data());
  return before.rows() / shares.each;
}

}  // namespace

Discrimination discrimination_of(const BasisRequest& request, bool homogeneous) {
  Discrimination term = request.options.discrimination;
  term.homogeneous = homogeneous;
  term.atom_class = consecutive_classes(request);
  return term;
}

std::vector<int> consecutive_classes(const BasisRequest& request) {
  const Shares shares = shares_of(request);
  std::vector<int> classes;
  for (Index u = 0; u < shares.classes * shares.each; ++u)
    classes.push_back(static_cast<int>(u / shares.each));
  return classes;
}

void require_class_patches(const BasisRequest& request) {
  const auto [classes, each] = shares_of(request);
  std::vector<Index> counts(static_cast<std::size_t>(classes), 0);
  for (const int label : request.labels) ++counts[static_cast<std::size_t>(label)];
  const auto fewest = std::min_element(counts.begin(), counts.end());
  const bool patches = request.options.init == "class-kmeans";
  require(*fewest >= each, kName,
          "{} atoms per class cannot start from the {} {} of class {}; use at most {} components{}",
          each, *fewest, patches ? "patches" : "samples", fewest - counts.begin(),
          *fewest * classes, patches ? ", more patches or another init" : " or more data");
}

Matrix<float> class_kmeans(const Context& context, const BasisRequest& request) {
  return class_by_class(context, request, [&](const BasisRequest& own) {
    return kmeans_of(context, own, ClusteringRole::kStart).atoms;
  });
}

Matrix<float> class_by_class(const Context& context, const BasisRequest& request,
                             const std::function<Matrix<float>(const BasisRequest&)>& learn) {
  require_class_patches(request);
  const Shares shares = shares_of(request);
  Matrix<float> atoms(shares.classes * shares.each, request.patches.cols());
  const Index first = take_up_classes(request, shares, atoms);
  for (Index y = first; y < shares.classes; ++y) {
    const LargeMatrix patches = rows_of_class(context, request, static_cast<int>(y));
    BasisRequest own{
        patches.view(), {}, request.options, request.hooks, y == first ? request.state : nullptr};
    own.options.components = shares.each;
    own.hooks.checkpoint = [&](const Archive& state) {
      if (!request.hooks.checkpoint) return;
      Archive whole = state;
      whole.put(kClassesBefore, ConstMatrixView<float>(atoms).rows_between(0, y * shares.each));
      request.hooks.checkpoint(whole);
    };
    const Matrix<float> learned = learn(own);
    std::copy_n(learned.data(), learned.size(), atoms.row(y * shares.each));
  }
  return atoms;
}

Matrix<float> label_affinity(const Context& context, const BasisRequest& request) {
  const Shares shares = shares_of(request);
  std::vector<Index> assignment;
  const Matrix<float> centers =
      kmeans_of(context, request, ClusteringRole::kStart, &assignment).atoms;
  const auto shared = shared_out(affinities(request, assignment, shares.classes), shares.each);
  Matrix<float> atoms(centers.rows(), centers.cols());
  Index next = 0;
  for (const auto& own : shared) {
    for (const Index u : own) atoms.view().row(next++) = centers.view().row(u);
  }
  return atoms;
}

}  // namespace krica
