// SPDX-License-Identifier: BSD-3-Clause
#include "models/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/image_features.hpp"
#include "features/tangents.hpp"
#include "joint/objective.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"
#include "models/stage_costs.hpp"
#include "objectives/kernel_gradient.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr double kFloat = sizeof(float);
constexpr double kDouble = sizeof(double);
constexpr double kMebibyte = 0x1p20;

/// Working memory that every program has; the budget does not count it.
constexpr double kUncounted = 16 * kMebibyte;

double as_double(Index value) { return static_cast<double>(value); }

/// Sums that TreeSum holds at most: one per thread and level of the tree, for at most 64 parts.
double tree_sums(int threads) { return std::min(threads, 64) + 8.0; }

/// The matrix, a copy for its eigenvectors, and the two that LAPACK needs.
double eigen_memory(double n) { return 4 * kDouble * n * n; }

/// Places of the patches, and half of them again to sort them; labels.
double sampling_memory(const TrainingSizes& s) { return (1.5 * 40 + 4) * s.patches; }

/// Assignments, distances and their order; the pool of the start; the sums.
double kmeans_memory(const TrainingSizes& s, double centers, double values, int threads) {
  const double pool = std::min(s.patches, 32 * centers);
  return 24 * s.patches + kFloat * pool * values + kDouble * centers * values * tree_sums(threads);
}

double whitening_memory(const TrainingSizes& s, int threads) {
  constexpr double kTile = 256;
  const double l = s.landmarks;
  if (l == 0) return 2 * eigen_memory(s.inputs);
  const double moments = kDouble * l * l * tree_sums(threads) +
                         (kFloat + 2 * kDouble) * kTile * l * std::min(threads, 64);
  const double root = kDouble * l * l;
  return std::max(kmeans_memory(s, l, s.inputs, threads),
                  root + std::max(moments, eigen_memory(l)));
}

/// The samples that an objective evaluates at once, all or some of which are gathered.
struct EvaluatedRows {
  double gathered;
  double at_once;
};

EvaluatedRows evaluated_rows(const TrainingSizes& s) {
  constexpr double kManyPatches = 50000;  // `auto` uses Adam from here on
  constexpr double kBatch = 1024;
  constexpr double kHeldOutPatches = 10000;
  const auto block = as_double(block_rows_for<float>(0, static_cast<Index>(s.atoms)));
  const bool adam = s.options.basis.solver == SolverKind::kAdam ||
                    s.method.solvers == SolverChoice::kAdam ||
                    (!s.options.basis.solver && s.patches >= kManyPatches);
  if (!adam) return {0, std::min(s.patches, block)};
  const double batch = s.options.basis.batch ? as_double(*s.options.basis.batch) : kBatch;
  const double rows =
      std::min(s.patches, std::max(batch, std::min(kHeldOutPatches, 0.1 * s.patches)));
  return {rows, std::min(rows, block)};
}

/// The sums over groups of samples (objectives/group_sums.hpp) that a rank holds.
double group_sums(double K, double samples, double at_once, int ranks) {
  const SampleGroups groups(static_cast<Index>(samples), static_cast<Index>(at_once),
                            static_cast<Index>(K));
  const double run = as_double(KernelGradient<float>::kAtomsAtATime);
  const double largest_share = std::ceil(std::ceil(K / run) / ranks) * run;
  return sums_held(groups.count(), ranks, std::min(1.0, largest_share / K));
}

/// What the gradient of kRICA or KSR needs: codes, slopes and products with the Gram matrix, this
/// matrix and its slopes, and the sums.
double kernel_memory(double K, double n, double at_once, double sums) {
  return kFloat * K * (3 * at_once + K * (2 + sums) + n * sums);
}

/// Codes and sums of the gradient.
double objective_memory(const TrainingSizes& s, int threads, int ranks) {
  constexpr double kSolverStates = 30;  // L-BFGS keeps 20 steps and gradients
  constexpr double kUsualCode = 32;     // atoms in the code of a sparse method
  const double K = s.atoms;
  const double n = s.outputs;
  const bool kernel = s.method.encoder == "kernel" || s.method.encoder == "lasso";
  const EvaluatedRows rows = evaluated_rows(s);
  const double sums = kernel || s.method.rica ? group_sums(K, s.patches, rows.at_once, ranks)
                                              : 4 * tree_sums(threads);
  const double evaluation =
      kernel ? kernel_memory(K, n, rows.at_once, sums) : kFloat * K * (rows.at_once + n * sums);
  const double bytes = evaluation + kFloat * rows.gathered * n + kFloat * K * n * kSolverStates +
                       4 * kDouble * n * n + 24 * s.patches;
  const bool keeps_codes = s.method.encoder == "lasso" && rows.gathered == 0;
  return bytes + (keeps_codes ? 32 * s.patches * std::min(K, kUsualCode) : 0);
}

double local_memory(const TrainingSizes& s, int threads) {
  const EncoderOptions encoder = encoder_of(s.options);
  if (encoder.kind != EncoderKind::kTangents) return 0;
  return tangents_memory(s.patches, s.atoms, s.outputs, as_double(encoder.neighbours), threads);
}

/// Codes with who uses which atom, residuals; Gram matrices, and sums over the users of an atom.
double ksvd_memory(double samples, double values, double atoms, double nonzeros, int threads) {
  return samples * (16 * nonzeros + 16) + 2 * kFloat * atoms * atoms + 2 * kFloat * atoms * values +
         kDouble * (atoms + values) * tree_sums(threads);
}

/// Products and sums of codes, and the Gram matrix with its copy; costs.
double sparse_coding_memory(const TrainingSizes& s, int threads) {
  return kFloat * s.atoms * ((s.atoms + s.outputs) * tree_sums(threads) + 2 * s.atoms) +
         8 * s.patches;
}

/// K-SVD with labels, and the map of codes to them.
double label_ksvd_memory(double samples, double values, double atoms, double nonzeros,
                         int threads) {
  return ksvd_memory(samples, values, atoms, nonzeros, threads) +
         kFloat * atoms * atoms * tree_sums(threads);
}

/// The samples that determine the projection, their Gram matrix, and the directions; then the
/// dictionary on them.
double dictionary_memory(const TrainingSizes& s, int threads) {
  const double rows = s.projected_samples();
  const double directions = kFloat * s.dictionary_inputs * s.features;
  const double side = std::min(rows, s.features);
  const double fit = kFloat * (rows * s.features + 2 * side * side) + eigen_memory(side);
  return directions +
         std::max(fit, label_ksvd_memory(s.images, s.dictionary_inputs, s.dictionary_atoms,
                                         s.dictionary_nonzeros, threads));
}

double basis_memory(const TrainingSizes& s, int threads, int ranks) {
  const double clustering = kmeans_memory(s, s.atoms, s.outputs, threads);
  if (learns_as(s.method, "sparse-coding"))
    return std::max(clustering, sparse_coding_memory(s, threads));
  if (s.method.name == "ksvd")
    return std::max(clustering, ksvd_memory(s.patches, s.outputs, s.atoms, s.nonzeros, threads));
  if (s.method.classifies)
    return label_ksvd_memory(s.patches, s.outputs + s.classes, s.atoms, s.nonzeros, threads);
  if (s.method.name == "ica" || s.method.name == "kica") {
    return kDouble * s.atoms * s.atoms * tree_sums(threads) + 2 * eigen_memory(s.atoms);
  }
  const bool solves = s.method.solvers != SolverChoice::kNone && !s.method.joint;
  return solves ? std::max(clustering, objective_memory(s, threads, ranks)) : clustering;
}

/// What SIFT keeps of the image that a thread is at: planes of orientations, and the grey image.
double sift_memory(const TrainingSizes& s) {
  constexpr double kPlanes = 9;
  constexpr double kMargins = 1.3;
  return s.sift ? kMargins * kPlanes * kFloat * s.pixels : 0;
}

/// Pixels and codes of the images that threads are at, and the atoms' tangents.
double feature_memory(const TrainingSizes& s, int threads) {
  constexpr double kPositions = 128;
  const EncoderOptions encoder = encoder_of(s.options);
  const bool tangents = encoder.kind == EncoderKind::kTangents;
  const double d = tangents ? as_double(encoder.tangents) : 0;
  const double codes = kPositions * (2 * s.inputs + (3 + d) * s.atoms);
  const double images = as_double(images_at_a_time(static_cast<Index>(s.values)));
  return threads * (kFloat * (images * s.values + codes) + sift_memory(s)) +
         2 * kFloat * d * s.atoms * s.outputs;
}

/// Per thread the windows and maps of an image; sums, and Adam's states.
double network_memory(const TrainingSizes& s, int threads) {
  constexpr double kStates = 8;
  double most = 0;
  double maps = s.values;
  for (const ConvShape& layer : s.layers) {
    const double rows = as_double(std::min(layer.blocks(), kBlocksAtATime) * kBlockUnits);
    const double tile = rows * as_double(layer.window() + 2 * layer.groups);
    const double weights = as_double(layer.groups * layer.window());
    maps += as_double(layer.pooled().values());
    const double batch = as_double(s.options.basis.batch.value_or(1)) * s.values;
    most = std::max(most, threads * (tile + 2 * maps) +
                              weights * (kStates + 2 * tree_sums(threads)) + 2 * batch);
  }
  return kFloat * most;
}

/// Either the Gram matrix of the samples and its factor, or that of the features, in blocks.
double svm_memory(const TrainingSizes& s, int threads) {
  constexpr double kMostSpanned = 8192;
  constexpr double kMetricBlock = 8192;
  constexpr double kSolverStates = 30;
  const double m = s.classified;
  const bool spanned = m <= kMostSpanned && 4 * m <= 3 * s.features;
  const double width = spanned ? m : s.features;
  const double metric = kFloat * width * std::min(width, kMetricBlock);
  const double weights = kFloat * s.classes * width * (kSolverStates + tree_sums(threads));
  if (!spanned) return metric + weights;
  return kFloat * m * m + std::max(kDouble * m * m, metric + weights);
}

/// The reconstruction term of max-margin training: its patches, and kRICA on some of them.
double reconstruction_memory(const TrainingSizes& s, int ranks) {
  constexpr double kPatches = 20000;
  constexpr double kPatchesAStep = 1024;
  if (s.options.max_margin.reconstruction == 0) return 0;
  constexpr double at_once = kReconstructedAtOnce;
  return kFloat * s.outputs * (kPatches + kPatchesAStep + s.atoms) +
         kernel_memory(s.atoms, s.outputs, at_once,
                       group_sums(s.atoms, kPatchesAStep, at_once, ranks));
}

/// A batch of images; weights, their gradients and moments; features and partial gradients, or the
/// reconstruction term, which comes after them.
double joint_memory(const TrainingSizes& s, int threads, int ranks) {
  constexpr double kStates = 10;
  const double batch = as_double(s.options.basis.batch.value_or(batch_for(Index(s.images))));
  const double weights = s.atoms * s.outputs + s.classes * s.features;
  const double features = 3 * batch * s.features + s.atoms * s.outputs * tree_sums(threads);
  return kFloat * (batch * 2 * s.values + kStates * weights) +
         std::max(kFloat * features, reconstruction_memory(s, ranks));
}

}  // namespace

WorkingMemory working_memory(int threads, const DataFacts& facts, const PipelineOptions& settled,
                             int ranks) {
  const TrainingSizes s(facts, settled);
  WorkingMemory most;
  const auto add = [&](double bytes, const std::string& needed_for) {
    if (bytes > most.bytes) most = {bytes, needed_for};
  };
  const std::string atoms = fmt::format("learning {} atoms by {}", s.atoms, s.method.name);
  if (s.method.learn != nullptr) {
    add(sampling_memory(s), fmt::format("drawing {} patches", s.patches));
    add(whitening_memory(s, threads),
        s.landmarks > 0 ? fmt::format("a kernel PCA with {} landmarks", s.landmarks)
                        : fmt::format("whitening patches of {} values", s.inputs));
    add(basis_memory(s, threads, ranks), atoms);
    add(local_memory(s, threads), fmt::format("the tangents of {} atoms", s.atoms));
    add(feature_memory(s, threads), "encoding");
  }
  if (s.method.network) {
    add(network_memory(s, threads),
        fmt::format("a network with {} groups in its first layer", s.atoms));
  }
  if (s.method.joint) add(joint_memory(s, threads, ranks), atoms);
  if (s.dictionary_atoms > 0) {
    add(dictionary_memory(s, threads),
        fmt::format("a dictionary of {} images with {} features each", s.images, s.features));
  } else if (s.classes > 0 && !s.method.classifies) {
    add(svm_memory(s, threads),
        fmt::format("a classifier of {} images with {} features each", s.classified, s.features));
  }
  return most;
}

Context planned(const Context& context, const DataFacts& facts, const PipelineOptions& settled) {
  const int ranks = context.ranks() == nullptr ? 1 : context.ranks()->size();
  const WorkingMemory most = working_memory(context.threads(), facts, settled, ranks);
  const double counted = std::max(0.0, most.bytes - kUncounted);
  const double least = std::ceil(2 * counted / kMebibyte);
  require(least * kMebibyte <= as_double(context.memory_bytes()), "memory",
          "{} needs a memory budget (--memory, memory) of at least {}M, got {:.4g}M",
          most.needed_for, least, as_double(context.memory_bytes()) / kMebibyte);
  return context.with_memory(context.memory_bytes() - static_cast<std::int64_t>(counted));
}

void require_room_for_images(const Context& context, const ImageSet& images) {
  constexpr Index kCopies = 3;  // as numbers, prepared, and as bytes
  const Index values = images.shape().values();
  const Index bytes = kCopies * 4 * values * images_at_a_time(values);
  const double least = std::ceil((as_double(bytes) - kUncounted) / kMebibyte);
  require(least * kMebibyte <= as_double(context.memory_bytes()), "memory",
          "{} need a memory budget (--memory, memory) of at least {}M, got {:.4g}M",
          to_text(images), least, as_double(context.memory_bytes()) / kMebibyte);
}

}  // namespace krica
