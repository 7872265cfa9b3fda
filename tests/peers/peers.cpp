// SPDX-License-Identifier: BSD-3-Clause
//
// What the library makes of .npy files, for comparison with scikit-learn:
//   krica_peers ica X COMPONENTS ATOMS
//   krica_peers kmeans X START CENTERS              prints the inertia
//   krica_peers kpca X GAMMA COMPONENTS PROJECTED   prints the eigenvalues
//   krica_peers lasso G CORRELATIONS SPARSITY TOLERANCE CODES
//   krica_peers omp ATOMS X NONZEROS CODES
//   krica_peers sparse-coding X START SPARSITY ITERATIONS ATOMS   prints the objective
// ATOMS, CENTERS, PROJECTED and CODES are written, the other files read.
#include <fmt/format.h>

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "clustering/sparse_coding.hpp"
#include "data/npy.hpp"
#include "krica/bases/basis.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/data/dataset.hpp"
#include "patches/kernel_pca.hpp"
#include "solvers/batch_omp.hpp"
#include "solvers/gram_lasso.hpp"

namespace krica {
namespace {

using Arguments = std::vector<std::string>;

Matrix<double> read(const std::string& path) {
  const DataSet data = open_dataset(Context(), path);
  Matrix<double> samples(data.train_samples->rows(), data.train_samples->cols());
  data.train_samples->read(0, samples.rows(), samples.data());
  return samples;
}

template <class Scalar>
void write(const std::string& path, const Matrix<Scalar>& matrix) {
  NpyWriter<Scalar> file(path, {matrix.rows(), matrix.cols()});
  file.write(matrix.data(), matrix.size());
  file.commit();
}

void run_ica(const Arguments& arguments) {
  const Matrix<float> X = Matrix<float>::copy_of(read(arguments.at(0)).view().cast<float>());
  BasisRequest request{X, {}, {}, {}, nullptr};
  request.options.components = std::stoll(arguments.at(1));
  request.options.iterations = 500;
  write(arguments.at(2), basis_method("ica").learn(Context(), request).atoms);
}

void run_kmeans(const Arguments& arguments) {
  const Matrix<double> start = read(arguments.at(1));
  const auto result =
      kmeans_from<double>(Context(), read(arguments.at(0)), start,
                          {.n_clusters = start.rows(), .max_iterations = 300, .tolerance = 0});
  write(arguments.at(2), result.centers);
  fmt::print("{}\n", result.inertia);
}

void run_kpca(const Arguments& arguments) {
  const Matrix<double> X = read(arguments.at(0));
  const auto pca = KernelPca<double>::fit(Context(), X,
                                          {.kernel = {.gamma = std::stod(arguments.at(1))},
                                           .components = std::stoll(arguments.at(2)),
                                           .whiten = false});
  write(arguments.at(3), pca.apply(Context(), X));
  for (const double value : pca.eigenvalues()) fmt::print("{} ", value);
}

/// One problem a row of CORRELATIONS; the sample's own norm only shifts the value, 1 will do.
void run_lasso(const Arguments& arguments) {
  const Matrix<double> correlations = read(arguments.at(1));
  const GramLasso<double> lasso(read(arguments.at(0)), {.sparsity = std::stod(arguments.at(2)),
                                                        .tolerance = std::stod(arguments.at(3)),
                                                        .max_sweeps = 100000});
  Matrix<double> codes(correlations.rows(), correlations.cols());
  const auto K = static_cast<std::size_t>(codes.cols());
  for (Index i = 0; i < codes.rows(); ++i)
    lasso.solve({correlations.row(i), K}, 1.0, {codes.row(i), K});
  write(arguments.at(4), codes);
}

void run_omp(const Arguments& arguments) {
  const Matrix<double> X = read(arguments.at(1));
  const BatchOmp<double> omp(Context(), read(arguments.at(0)),
                             {.nonzeros = std::stoll(arguments.at(2))});
  SparseCodes<double> codes(X.rows(), omp.capacity());
  omp.encode(Context(), X, codes);
  Matrix<double> dense(X.rows(), omp.atoms());
  for (Index i = 0; i < X.rows(); ++i) {
    for (std::size_t t = 0; t < codes.atoms(i).size(); ++t)
      dense(i, codes.atoms(i)[t]) = codes.values(i)[t];
  }
  write(arguments.at(3), dense);
}

void run_sparse_coding(const Arguments& arguments) {
  const Matrix<double> X = read(arguments.at(0));
  const Matrix<double> start = read(arguments.at(1));
  const auto result = sparse_coding<double>(Context(), X, start,
                                            {.n_atoms = start.rows(),
                                             .sparsity = std::stod(arguments.at(2)),
                                             .max_iterations = std::stoll(arguments.at(3)),
                                             .tolerance = 0});
  write(arguments.at(4), result.atoms);
  fmt::print("{}\n", result.cost);
}

}  // namespace
}  // namespace krica

int main(int count, char** values) {
  const std::map<std::string, void (*)(const krica::Arguments&)> commands = {
      {"ica", &krica::run_ica},   {"kmeans", &krica::run_kmeans},
      {"kpca", &krica::run_kpca}, {"lasso", &krica::run_lasso},
      {"omp", &krica::run_omp},   {"sparse-coding", &krica::run_sparse_coding}};
  try {
    const krica::Arguments arguments(values + 1, values + count);
    commands.at(arguments.at(0))({arguments.begin() + 1, arguments.end()});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
