// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "classify/device_svm.hpp"
#include "classify/feature_metric.hpp"
#include "classify/sample_span.hpp"
#include "classify/splits.hpp"
#include "classify/squared_hinge.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/data/image_set.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "svm";

// Sufficient to compare values of C: relative to the objective, or to 1 if that is larger. The
// objective at W = 0 is about the number of classes; if C is so large that it is far below 1, its
// last digits say nothing about held-out samples.
constexpr double kTrialTolerance = 1e-4;
constexpr double kTrialScale = 1;

constexpr std::array<double, 9> kCandidates = {1, 3, 10, 30, 100, 300, 1000, 3000, 10000};  // C m

/// a_i of every sample.
std::vector<float> sample_weights(std::span<const int> labels, Index n_classes, bool balanced) {
  std::vector<float> weights(labels.size(), 1.0F);
  if (!balanced) return weights;
  std::vector<double> counts(static_cast<std::size_t>(n_classes), 0.0);
  for (const int label : labels) counts[static_cast<std::size_t>(label)] += 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double count = counts[static_cast<std::size_t>(labels[i])];
    weights[i] = static_cast<float>(static_cast<double>(labels.size()) /
                                    (static_cast<double>(n_classes) * count));
  }
  return weights;
}

void check_training_data(const Context& context, ConstMatrixView<float> features,
                         std::span<const int> labels, Index n_classes) {
  require_not_empty(features, kName, "features");
  require(static_cast<Index>(labels.size()) == features.rows(), kName, "{} labels for {} samples",
          labels.size(), features.rows());
  require(n_classes >= 2, kName, "at least 2 classes are needed, got {}", n_classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0 && labels[i] < n_classes, kName,
            "label {} at sample {} is not in 0 ... {}", labels[i], i, n_classes - 1);
  }
  const bool one_class =
      std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels[0]; });
  require(!one_class, kName, "all {} samples are of class {}", labels.size(), labels[0]);
  const Range held = held_features(features.rows()).of(context);
  agree(context,
        [&] { require_finite(features.rows_between(held.begin, held.end), kName, "features"); });
}

/// f as a function of V = W L.
class Rounded final : public Objective<float> {
 public:
  Rounded(Objective<float>& f, const FeatureMetric& metric)
      : f_(f), metric_(metric), W_(f.rows(), f.cols()) {}

  [[nodiscard]] Index rows() const override { return f_.rows(); }
  [[nodiscard]] Index cols() const override { return f_.cols(); }

  double value_and_gradient(const Context& context, ConstMatrixView<float> V,
                            MatrixView<float> gradient) override {
    const double value = f_.value_and_gradient(context, weights(context, V), gradient);
    metric_.to_gradient(context, gradient);
    return value;
  }
  double value(const Context& context, ConstMatrixView<float> V) override {
    return f_.value(context, weights(context, V));
  }

 private:
  ConstMatrixView<float> weights(const Context& context, ConstMatrixView<float> V) {
    W_ = Matrix<float>::copy_of(V);
    metric_.to_weights(context, W_);
    return W_;
  }

  Objective<float>& f_;
  const FeatureMetric& metric_;
  Matrix<float> W_;
};

// The solver's state is in the variables V, so it is valid only for the same metric: states of
// other versions are not resumed.
const std::string kMark = "metric";
const std::string kMetric = "inverse, r to a power of ten, samples' span";

bool has_mark(const Archive& state) {
  return state.has_text(kMark) && state.text(kMark) == kMetric;
}

SolverHooks with_marked_states(SolverHooks hooks) {
  if (!hooks.checkpoint) return hooks;
  hooks.checkpoint = [keep = hooks.checkpoint](Archive state) {
    state.put_text(kMark, kMetric);
    keep(state);
  };
  return hooks;
}

}  // namespace

/// One run of the solver.
struct SvmTrainer::Fit {
  double C = 0;
  double tolerance = 0;
  double scale = 0;  // of the objective: minimum for the relative tolerance
  std::span<const float> sample_weights;
  ConstMatrixView<float> start = {nullptr, 0, 0};  // empty: zeros
  SolverHooks hooks = {};
  const Archive* state = nullptr;
};

SvmTrainer::SvmTrainer(const Context& context, ConstMatrixView<float> features,
                       std::span<const int> labels, Index n_classes, const SvmOptions& options)
    : context_(context),
      features_(features),
      labels_(labels),
      n_classes_(n_classes),
      options_(options) {
  options.validate();
  check_training_data(context, features, labels, n_classes);
  sample_weights_ = sample_weights(labels, n_classes, options.balanced);
}

SvmTrainer::~SvmTrainer() = default;

void SvmTrainer::prepare() {
  if (metric_) return;
  if (SampleSpan::pays(features_.rows(), features_.cols()))
    span_ = std::make_unique<SampleSpan>(context_, features_);
  on_device_ = device_svm(context_, rows(), labels_, n_classes_);
  metric_ = std::make_unique<FeatureMetric>(context_, rows(), on_device_.get());
}

ConstMatrixView<float> SvmTrainer::rows() const { return span_ ? span_->coordinates() : features_; }

/// Solves on rows().
LinearClassifier SvmTrainer::solve(const Fit& fit) {
  prepare();
  metric_->factor(context_, 1 / (fit.C * static_cast<double>(features_.rows())));
  SquaredHinge hinge(rows(), labels_, n_classes_, fit.sample_weights, fit.C, on_device_.get());
  Rounded objective(hinge, *metric_);
  Lbfgs<float> solver({.max_iterations = options_.max_iterations,
                       .gradient_tolerance = 1e-7,
                       .value_tolerance = fit.tolerance,
                       .value_scale = fit.scale},
                      with_marked_states(fit.hooks));
  Matrix<float> start(hinge.rows(), hinge.cols());
  if (fit.start.size() > 0) start.view() = fit.start;
  metric_->from_weights(start);
  const bool resumes = fit.state != nullptr && has_mark(*fit.state);
  SolverResult<float> result = resumes ? solver.resume(context_, objective, *fit.state)
                                       : solver.minimize(context_, objective, start);
  if (result.status == Status::kCancelled) throw Cancelled();
  metric_->to_weights(context_, result.best);
  return {std::move(result.best), result.value * fit.C * static_cast<double>(features_.rows())};
}

LinearClassifier SvmTrainer::fit(double C, const SolverHooks& hooks, const Archive* state) {
  require(std::isfinite(C) && C > 0, kName, "C must be finite and > 0, got {}", C);
  prepare();
  // Iterations in the span are cheap, and with a large C each gains little.
  const double tolerance = options_.tolerance * (span_ ? 0.1 : 1);
  LinearClassifier svm = solve({C, tolerance, 0, sample_weights_, {nullptr, 0, 0}, hooks, state});
  if (!span_) return svm;
  return {span_->to_weights(context_, svm.weights()), svm.objective()};
}

std::vector<Index> SvmTrainer::held_out() const {
  if (!held_out_.empty()) return held_out_;
  return stratified_split({labels_.begin(), labels_.end()}, 0.2, context_.seed()).test;
}

/// Held-out samples get weight 0, which avoids copying the features.
std::vector<float> SvmTrainer::weights_without(std::span<const Index> held_out) const {
  std::vector<float> weights = sample_weights_;
  for (const Index i : held_out) weights[static_cast<std::size_t>(i)] = 0;
  return weights;
}

HeldOutScores SvmTrainer::held_out_scores(double C) {
  const std::vector<Index> held_out = this->held_out();
  if (held_out.empty()) return {};
  const std::vector<float> weights = weights_without(held_out);
  const Matrix<float> all =
      solve({C, kTrialTolerance, kTrialScale, weights}).scores(context_, rows());
  HeldOutScores result{Matrix<float>(static_cast<Index>(held_out.size()), n_classes_),
                       values_at(labels_, held_out)};
  for (std::size_t i = 0; i < held_out.size(); ++i)
    std::copy_n(all.row(held_out[i]), n_classes_, result.scores.row(static_cast<Index>(i)));
  return result;
}

/// Tries the candidates in turn, each from the weights of the previous one.
class SvmTrainer::Search {
 public:
  explicit Search(SvmTrainer& trainer)
      : trainer_(trainer),
        held_out_(trainer.held_out()),
        weights_(trainer.weights_without(held_out_)),
        held_labels_(values_at(trainer.labels_, held_out_)) {
    trainer.prepare();
    last_ = Matrix<float>(trainer.n_classes_, trainer.rows().cols() + 1);
    require(!held_out_.empty(), kName,
            "no class has two samples, so none can be held out to choose C; set C");
  }

  void resume(const Archive& state) {
    const auto tried = state.vector<double>("tried");
    if (tried.size() % 2 != 0 || tried.size() > 2 * kCandidates.size())
      throw DataError(fmt::format("[archive] tensor 'tried' holds {} value(s)", tried.size()));
    for (std::size_t i = 0; i < tried.size(); i += 2) note(tried[i], tried[i + 1]);
    const Matrix<float> weights = state.matrix<float>("weights");
    // States of versions that did not solve in the samples' span have a different width.
    if (weights.cols() == last_.cols() && weights.rows() == last_.rows()) last_ = weights;
  }

  [[nodiscard]] bool done() const {
    return past_the_peak_ || chosen_.tried.size() == kCandidates.size();
  }
  [[nodiscard]] const ChosenC& chosen() const { return chosen_; }

  void try_next() {
    const double C = kCandidates[chosen_.tried.size()] /
                     static_cast<double>(trainer_.features_.rows()) * trainer_.options_.c_unit;
    const LinearClassifier svm = trainer_.solve({C, kTrialTolerance, kTrialScale, weights_, last_});
    last_ = Matrix<float>::copy_of(svm.weights());
    note(C, accuracy_of(values_at(svm.predict(trainer_.context_, trainer_.rows()), held_out_),
                        held_labels_));
    trainer_.context_.report({"svm-c", static_cast<Index>(chosen_.tried.size()), kCandidates.size(),
                              chosen_.tried.back().second});
  }

  [[nodiscard]] Archive saved() const {
    std::vector<double> tried;
    for (const auto& [C, accuracy] : chosen_.tried) tried.insert(tried.end(), {C, accuracy});
    Archive state;
    state.put_vector<double>("tried", tried);
    state.put("weights", last_);
    return state;
  }

 private:
  void note(double C, double accuracy) {
    // A drop of two standard errors, and at least one point, ends the search: a larger C would only
    // overfit more.
    const double fall = std::max(0.01, 1 / std::sqrt(static_cast<double>(held_labels_.size())));
    past_the_peak_ = accuracy < best_ - fall;
    chosen_.tried.emplace_back(C, accuracy);
    if (accuracy <= best_) return;
    best_ = accuracy;
    chosen_.C = C;
  }

  SvmTrainer& trainer_;
  std::vector<Index> held_out_;
  std::vector<float> weights_;
  std::vector<int> held_labels_;
  Matrix<float> last_;
  ChosenC chosen_;
  double best_ = -1;
  bool past_the_peak_ = false;
};

ChosenC SvmTrainer::choose_c(const std::function<void(const Archive&)>& checkpoint,
                             const Archive* state) {
  Search search(*this);
  if (state != nullptr) search.resume(*state);
  while (!search.done()) {
    search.try_next();
    if (checkpoint) checkpoint(search.saved());
  }
  return search.chosen();
}

}  // namespace krica
