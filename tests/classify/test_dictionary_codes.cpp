// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "classify/dictionary_codes.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// Features with variances that fall, around a mean.
Matrix<float> features_of(Index rows, Index cols) {
  Matrix<float> features = support::random_matrix<float>(rows, cols, 3);
  for (Index j = 0; j < cols; ++j) {
    features.view().col(j) *= 3.0F / static_cast<float>(1 + j);
    features.view().col(j).array() += 2;
  }
  return features;
}

Matrix<float> projected(const FeatureProjection& projection, ConstMatrixView<float> features) {
  Matrix<float> result(features.rows(), projection.outputs());
  projection.apply(Context(), features, result);
  return result;
}

TEST(FeatureProjection, KeepsTheDirectionsOfLargestVariance) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{90, 12}, {20, 50}}) {
    const Matrix<float> features = features_of(rows, cols);
    const auto projection = FeatureProjection::fit(Context(), features, 5);
    ASSERT_EQ(projection.outputs(), 5);
    RowMajor<double> centred = features.view().cast<double>();
    centred.rowwise() -= centred.colwise().mean().eval();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinV);
    for (Index k = 0; k < 5; ++k) {
      const Eigen::VectorXd direction = projection.directions().row(k).cast<double>();
      EXPECT_NEAR(std::abs(direction.dot(svd.matrixV().col(k))), 1, 1e-4) << k;
    }
    RowMajor<double> wanted = centred * projection.directions().cast<double>().transpose();
    wanted.rowwise().normalize();
    EXPECT_LT((projected(projection, features).view().cast<double>() - wanted).norm(), 1e-4);
  }
}

TEST(FeatureProjection, KeepsNoMoreDirectionsThanThereAre) {
  EXPECT_EQ(FeatureProjection::fit(Context(), features_of(6, 30), 100).outputs(), 5);
  Matrix<float> flat(8, 4);
  for (Index i = 0; i < 8; ++i) flat(i, 2) = static_cast<float>(i);
  EXPECT_EQ(FeatureProjection::fit(Context(), flat, 4).outputs(), 1);
}

TEST(FeatureProjection, RefusesBadInput) {
  EXPECT_THROW(FeatureProjection::fit(Context(), Matrix<float>(1, 4), 2), InvalidArgument);
  EXPECT_THROW(FeatureProjection::fit(Context(), Matrix<float>(5, 4), 2), InvalidArgument);
  EXPECT_THROW(FeatureProjection::fit(Context(), features_of(5, 4), 0), InvalidArgument);
  Matrix<float> holed = features_of(5, 4);
  holed(1, 1) = NAN;
  EXPECT_THROW(FeatureProjection::fit(Context(), holed, 2), InvalidArgument);
}

DictionaryCodes small_dictionary(const Matrix<float>& features) {
  return {FeatureProjection::fit(Context(), features, 5),
          Encoder({.kind = EncoderKind::kSignedOmp, .nonzeros = 2},
                  support::random_matrix<float>(9, 5, 6))};
}

TEST(DictionaryCodes, HaveTheSameBitsForAnyThreadsAndInAnyCompany) {
  const Matrix<float> features = features_of(200, 12);
  const DictionaryCodes codes = small_dictionary(features);
  const Matrix<float> all = codes.of(Context({.threads = 1}), features);
  EXPECT_TRUE(all.view() == codes.of(Context({.threads = 3}), features).view());
  const auto some = ConstMatrixView<float>(features).rows_between(70, 71);
  EXPECT_TRUE(all.view().row(70) == codes.of(Context(), some).view().row(0));
  for (Index i = 0; i < 200; ++i) EXPECT_LE((all.view().row(i).array() != 0).count(), 2);
}

TEST(DictionaryCodes, SurviveAnArchiveAndRefuseADamagedOne) {
  const Matrix<float> features = features_of(40, 12);
  const DictionaryCodes codes = small_dictionary(features);
  Archive archive;
  EXPECT_FALSE(DictionaryCodes::load_if(archive, 100));
  codes.save(archive);
  const auto loaded = DictionaryCodes::load_if(archive, 100);
  EXPECT_TRUE(loaded->of(Context(), features).view() == codes.of(Context(), features).view());
  EXPECT_THROW(DictionaryCodes::load_if(archive, 8), DataError) << "too many atoms";
  const auto damaged = [&](auto change) {
    Archive other = archive;
    change(other);
    EXPECT_THROW(DictionaryCodes::load_if(other, 100), DataError);
  };
  damaged([](Archive& a) { a.put("dictionary.atoms", Matrix<float>(9, 4)); });
  damaged([](Archive& a) { a.put_scalar<std::int64_t>("dictionary.nonzeros", 0); });
  damaged([](Archive& a) { a.remove("dictionary.nonzeros"); });
  damaged([](Archive& a) { a.put_vector<float>("projection.mean", std::vector<float>(3)); });
  damaged([](Archive& a) { a.remove("projection.directions"); });
  Matrix<float> holed = Matrix<float>::copy_of(codes.encoder.atoms());
  holed(0, 0) = NAN;
  damaged([&](Archive& a) { a.put("dictionary.atoms", holed); });
}

}  // namespace
}  // namespace krica
