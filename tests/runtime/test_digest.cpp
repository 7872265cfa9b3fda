// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "runtime/digest.hpp"

namespace krica {
namespace {

TEST(Digest, KnowsTheStandardValues) {
  Digest md5(Digest::Kind::kMd5);
  md5.add("abc", 3);
  EXPECT_EQ(md5.finish(), "900150983cd24fb0d6963f7d28e17f72");
  Digest sha(Digest::Kind::kSha256);
  sha.add("a", 1);
  sha.add("bc", 2);
  EXPECT_EQ(sha.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of({"ab", "", "c"}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace krica
