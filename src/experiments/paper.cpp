// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/paper.hpp"

#include <array>

#include "experiments/names.hpp"

namespace krica {
namespace {

constexpr auto kFigures = std::to_array<PaperFigure>({
    {"caltech101", kFifteen, "ScSPM", 67.0},
    {"caltech101", kFifteen, "D-KSVD", 65.1},
    {"caltech101", kFifteen, "LC-KSVD", 67.7},
    {"caltech101", kFifteen, "RICA", 67.1},
    {"caltech101", kFifteen, "KICA", 65.2},
    {"caltech101", kFifteen, "KSR", 67.9},
    {"caltech101", kFifteen, "DRICA", 67.8},
    {"caltech101", kFifteen, "d-RICA", 68.7},
    {"caltech101", kFifteen, "kRICA", 68.2},
    {"caltech101", kFifteen, "d-kRICA", 71.3},
    {"caltech101", kThirty, "ScSPM", 73.2},
    {"caltech101", kThirty, "D-KSVD", 73.0},
    {"caltech101", kThirty, "LC-KSVD", 73.6},
    {"caltech101", kThirty, "RICA", 73.7},
    {"caltech101", kThirty, "KICA", 72.8},
    {"caltech101", kThirty, "KSR", 75.1},
    {"caltech101", kThirty, "DRICA", 74.4},
    {"caltech101", kThirty, "d-RICA", 75.6},
    {"caltech101", kThirty, "kRICA", 75.4},
    {"caltech101", kThirty, "d-kRICA", 77.1},
    {"cifar10", "", "Improved local coordinate coding", 74.5},
    {"cifar10", "", "Convolutional deep belief net, 2 layers", 78.9},
    {"cifar10", "", "Sparse autoencoder", 73.4},
    {"cifar10", "", "Sparse RBM", 72.4},
    {"cifar10", "", "K-means, hard", 68.6},
    {"cifar10", "", "K-means, triangle", 77.9},
    {"cifar10", "", "K-means, triangle, full size", 79.6},
    {"cifar10", "", "RICA", 81.4},
    {"cifar10", "", "KICA", 78.3},
    {"cifar10", "", "KSR", 82.6},
    {"cifar10", "", "DRICA", 82.1},
    {"cifar10", "", "d-RICA", 82.9},
    {"cifar10", "", "kRICA", 83.4},
    {"cifar10", "", "d-kRICA", 84.5},
    {"stl10", "", "Raw pixels", 31.8},
    {"stl10", "", "K-means, triangle", 51.5},
    {"stl10", "", "RICA", 51.4},
    {"stl10", "", "RICA, 10 × 10 patches", 52.9},
    {"stl10", "", "KICA", 51.1},
    {"stl10", "", "KSR", 54.4},
    {"stl10", "", "DRICA", 54.2},
    {"stl10", "", "d-RICA", 54.8},
    {"stl10", "", "kRICA", 55.2},
    {"stl10", "", "d-kRICA", 56.9},
    {"kernels", "", "Polynomial, degree 3", 54.2},
    {"kernels", "", "Inverse distance", 38.3},
    {"kernels", "", "Inverse square distance", 47.6},
    {"kernels", "", "Exponential histogram intersection", 36.5},
    {"kernels", "", "Gaussian", 56.9},
});

}  // namespace

std::span<const PaperFigure> paper_figures() { return kFigures; }

std::optional<double> paper_accuracy(std::string_view experiment, std::string_view group,
                                     std::string_view system) {
  for (const PaperFigure& figure : kFigures) {
    if (figure.experiment == experiment && figure.group == group && figure.system == system)
      return figure.accuracy;
  }
  return std::nullopt;
}

}  // namespace krica
