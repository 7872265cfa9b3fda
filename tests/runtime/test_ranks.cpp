// SPDX-License-Identifier: BSD-3-Clause
//
// Rows divided among ranks: sums have the bits of one machine, errors and cancelling reach all.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/blas.hpp"
#include "runtime/column_moments.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/ranks.hpp"
#include "runtime/scattered_sum.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

/// Magnitudes that differ by 30 orders: any other order of addition gives other bits.
double term(Index i) { return std::sin(static_cast<double>(i) + 1) * std::pow(10, i % 31); }

Matrix<float> numbers(Index rows, Index cols) {
  Matrix<float> matrix(rows, cols);
  for (Index e = 0; e < matrix.size(); ++e)
    matrix.data()[e] = static_cast<float>(std::sin(static_cast<double>(e)));
  return matrix;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

struct TwoSums {
  double number = 0;
  std::vector<double> list = std::vector<double>(5);
  Matrix<double> matrix = Matrix<double>(3, 4);
  static auto members(auto& sums) { return std::tie(sums.number, sums.list, sums.matrix); }
};

TwoSums sums_of(const Context& context, Index parts) {
  return ordered_reduce<TwoSums>(
      context, parts, Work{}, [] { return TwoSums{}; },
      [](Index part, TwoSums& sums) {
        sums.number += term(part);
        for (std::size_t j = 0; j < sums.list.size(); ++j)
          sums.list[j] += term(7 * part + static_cast<Index>(j));
        for (Index e = 0; e < sums.matrix.size(); ++e) sums.matrix.data()[e] += term(part * e);
      });
}

/// Rank r's slice of a sum of 3 doubles and 4 floats per rank; all parts' sums differ.
void fill(Index part, int rank, const Slice<float>& slice) {
  for (std::size_t i = 0; i < slice.doubles.size(); ++i)
    slice.doubles[i] = term(part + 5 * rank + static_cast<Index>(i));
  for (std::size_t i = 0; i < slice.values.size(); ++i)
    slice.values[i] = static_cast<float>(term(3 * part + rank + static_cast<Index>(i)));
}

TEST(Ranks, ScatteredSumsHaveTheBitsOfOneMachine) {
  constexpr SliceSize kSize = {3, 5};
  const std::size_t bytes = Slice<float>::bytes(kSize);
  for (int ranks = 2; ranks <= 6; ++ranks) {
    for (const Index parts : {1, 2, 4, 5, 8, 13}) {
      on_ranks(ranks, {.threads = 2}, [&](const Context& context) {
        std::vector<std::vector<double>> memory(static_cast<std::size_t>(parts * ranks),
                                                std::vector<double>(bytes / sizeof(double)));
        const auto slice = [&](Index part, int rank) {
          auto& numbers = memory[static_cast<std::size_t>(part * ranks + rank)];
          return Slice<float>(reinterpret_cast<std::byte*>(numbers.data()), kSize);
        };
        const auto add = [&](Index to, Index from, int rank) {
          for (std::size_t i = 0; i < kSize.doubles; ++i)
            slice(to, rank).doubles[i] += slice(from, rank).doubles[i];
          for (std::size_t i = 0; i < kSize.values; ++i)
            slice(to, rank).values[i] += slice(from, rank).values[i];
        };
        const auto fill_all = [&] {
          for (Index part = 0; part < parts; ++part) {
            for (int rank = 0; rank < ranks; ++rank) fill(part, rank, slice(part, rank));
          }
        };
        const int own = context.ranks()->rank();
        fill_all();
        const RankTree tree(parts, own, ranks);
        for (const auto& [to, from] : tree.own) {
          for (int rank = 0; rank < ranks; ++rank) add(to, from, rank);
        }
        std::atomic<int> sent = 0;
        ScatteredSum<float> sum;
        const Slice<float> total = sum.add(
            context, parts, tree, [&](int) { return kSize; },
            [&](Index part, int rank, const Slice<float>& to) {
              ++sent;
              std::copy_n(slice(part, rank).doubles.data(), kSize.doubles, to.doubles.data());
              std::copy_n(slice(part, rank).values.data(), kSize.values, to.values.data());
            });
        const double copied = static_cast<double>(sent) / ranks;
        const double held = static_cast<double>(share_of(parts, own, ranks).size()) + copied +
                            (static_cast<double>(tree.left.size()) - copied) / ranks;
        EXPECT_LE(held, sums_held(parts, ranks, 1.0 / ranks) + 1e-9);
        EXPECT_GE(held + 2, sums_held(parts, ranks, 1.0 / ranks)) << "no more than needed";
        fill_all();
        add_in_tree_order(parts, [&](Index to, Index from) { add(to, from, own); });
        const Slice<float> expected = slice(0, own);
        EXPECT_TRUE(std::ranges::equal(total.doubles, expected.doubles));
        EXPECT_TRUE(std::ranges::equal(total.values, expected.values));
      });
    }
  }
}

TEST(Ranks, SharesCoverEverythingOnce) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const Index count : {0, 1, 2, 7, 64, 1000}) {
      Index next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range share = share_of(count, rank, ranks);
        EXPECT_EQ(share.begin, next);
        next = share.end;
        for (Index i = share.begin; i < share.end; ++i) EXPECT_EQ(i * ranks / count, rank);
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Ranks, HoldTheRowsOfTheirParts) {
  for (const Index rows : {2, 63, 500, 1025, 40000}) {
    for (const Index largest : {64, 100, 256, 1024, 2048}) {
      const Partition parts(rows, largest);
      const HeldRows held{rows, halo_of(rows, largest)};
      for (int ranks = 1; ranks <= 8; ++ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
          const Range used = rows_of_share(parts, rank, ranks);
          if (used.size() == 0) continue;
          EXPECT_GE(used.begin, held.of(rank, ranks).begin) << rows << " " << largest;
          EXPECT_LE(used.end, held.of(rank, ranks).end) << rows << " " << largest;
        }
      }
    }
  }
}

TEST(Ranks, SumsHaveTheBitsOfOneMachine) {
  for (const Index parts : {1, 2, 3, 5, 7, 31, 64, 100}) {
    const auto body = [](Index part) { return term(part); };
    const double number = ordered_reduce(Context(), parts, body);
    const TwoSums sums = sums_of(Context(), parts);
    for (int ranks = 2; ranks <= 5; ++ranks) {
      on_ranks(ranks, {.threads = 2}, [&](const Context& context) {
        EXPECT_EQ(ordered_reduce(context, parts, body), number) << parts << " " << ranks;
        const TwoSums same = sums_of(context, parts);
        EXPECT_EQ(same.number, sums.number) << parts << " " << ranks;
        EXPECT_EQ(same.list, sums.list) << parts << " " << ranks;
        EXPECT_TRUE(same_bits(same.matrix, sums.matrix)) << parts << " " << ranks;
      });
    }
  }
}

TEST(Ranks, MomentsAndProductsReadOnlyHeldRows) {
  const Matrix<float> all = numbers(9000, 150);
  Matrix<double> gram(150, 150);
  blas::gram_of_columns<float>(Context(), all, gram);
  const std::vector<double> squares = column_moments<float>(Context(), all).squares();
  for (int ranks = 2; ranks <= 4; ++ranks) {
    on_ranks(ranks, {.threads = 1}, [&](const Context& context) {
      Matrix<float> own(all.rows(), all.cols());
      own.view().setConstant(std::nanf(""));  // where nobody may look
      const Range held = HeldRows{all.rows(), halo_of(all.rows(), 2048)}.of(context);
      own.view().middleRows(held.begin, held.size()) =
          all.view().middleRows(held.begin, held.size());
      Matrix<double> same(150, 150);
      blas::gram_of_columns<float>(context, own, same);
      EXPECT_TRUE(same_bits(same, gram)) << ranks;
      EXPECT_EQ(column_moments<float>(context, own).squares(), squares) << ranks;
    });
  }
}

TEST(Ranks, GatherRowsFromTheirOwners) {
  const Matrix<float> all = numbers(101, 7);
  const std::vector<Index> wanted = {100, 0, 50, 50, 3, 99, 34, 33};
  const Matrix<float> expected = rows_at<float>(all, wanted);
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    Matrix<float> own(101, 7);
    const Range share = own_share(context, 101);
    own.view().middleRows(share.begin, share.size()) =
        all.view().middleRows(share.begin, share.size());
    EXPECT_EQ(gather_rows<float>(context, own, wanted).view(), expected.view());
    gather_all_rows<float>(context, own);
    EXPECT_EQ(own.view(), all.view());
  });
}

TEST(Ranks, FetchTheRowsThatFollowTheirOwn) {
  const Partition tiles(1000, 64);
  const HeldRows held{1000, 300};
  on_ranks(4, {.threads = 1}, [&](const Context& context) {
    std::vector<Index> values(1000, -1);
    const Range own = rows_of_share(tiles, context.ranks()->rank(), 4);
    std::iota(values.begin() + own.begin, values.begin() + own.end, own.begin);
    fetch_held_rows(context, values.data(), sizeof(Index), held,
                    [&](int rank) { return rows_of_share(tiles, rank, 4); });
    const Range rows = held.of(context);
    for (Index i = rows.begin; i < rows.end; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
  });
}

TEST(Ranks, AnErrorOfOneRankIsThrownByAll) {
  for (int guilty = 0; guilty < 3; ++guilty) {
    std::atomic<int> threw = 0;
    on_ranks(3, {.threads = 1}, [&](const Context& context) {
      try {
        agree(context, [&] {
          if (context.ranks()->rank() == guilty) throw DataError("[test] image 7 is damaged");
        });
      } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "[test] image 7 is damaged");
        ++threw;
      }
    });
    EXPECT_EQ(threw, 3);
  }
}

TEST(Ranks, AnErrorInAPartIsThrownByAll) {
  std::atomic<int> threw = 0;
  on_ranks(4, {.threads = 2}, [&](const Context& context) {
    const auto body = [](Index part) -> double {
      if (part == 40) throw IoError("[test] part 40");
      return 1;
    };
    EXPECT_THROW(ordered_reduce(context, 64, body), IoError);
    ++threw;
  });
  EXPECT_EQ(threw, 4);
}

TEST(Ranks, CancellingOneStopsAllAtTheSamePoint) {
  std::mutex mutex;
  std::vector<int> stopped_after;
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    int sums = 0;
    try {
      for (;; ++sums) {
        if (context.ranks()->rank() == 1 && sums == 5) context.cancel();
        ordered_reduce(context, 10, [](Index) { return 1.0; });
      }
    } catch (const Cancelled&) {
      const std::lock_guard lock(mutex);
      stopped_after.push_back(sums);
    }
  });
  EXPECT_EQ(stopped_after, (std::vector<int>{6, 6, 6}));
}

TEST(Ranks, ATroubleOfOneDeviceIsThatOfAll) {
  for (const auto trouble : {DeviceError::Trouble::kNoDevice, DeviceError::Trouble::kOutOfMemory,
                             DeviceError::Trouble::kUnsupported, DeviceError::Trouble::kFailed}) {
    on_ranks(3, {.threads = 1}, [&](const Context& context) {
      try {
        agree(context, [&] {
          if (context.ranks()->rank() == 1) throw DeviceError(trouble, "[cuda] trouble");
        });
        ADD_FAILURE() << "no error";
      } catch (const DeviceError& error) {
        EXPECT_EQ(error.trouble(), trouble);
        EXPECT_STREQ(error.what(), "[cuda] trouble");
      }
    });
  }
}

TEST(Ranks, ComputingAlikeTheyAgreeToStopWithReports) {
  on_ranks(2, {.threads = 1}, [&](const Context& context) {
    const Context alike = context.with_all_rows();
    if (context.ranks()->rank() == 1) alike.cancel();
    EXPECT_FALSE(alike.cancelled());
    alike.report({"test", 1, 2});
    EXPECT_TRUE(alike.cancelled());
  });
}

TEST(Ranks, OneRankWorksAlone) {
  Mail mail(1);
  const Context context({.threads = 1, .ranks = std::make_shared<ThreadRank>(mail, 0)});
  EXPECT_EQ(context.ranks(), nullptr);
  EXPECT_FALSE(context.with_shared_rows().shares_rows());
}

}  // namespace
}  // namespace krica
