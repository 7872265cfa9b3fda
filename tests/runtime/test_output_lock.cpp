// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "krica/runtime/error.hpp"
#include "runtime/output_lock.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

class OutputLocks : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "krica-locks-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST_F(OutputLocks, AreHeldByOneAtATime) {
  const fs::path output = directory_ / "m.krica";
  {
    const OutputLock lock(output);
    EXPECT_THROW(OutputLock second(output), IoError);
    EXPECT_NO_THROW(OutputLock other(directory_ / "n.krica"));
  }
  EXPECT_TRUE(fs::is_empty(directory_));
  EXPECT_NO_THROW(OutputLock again(output));
}

TEST_F(OutputLocks, EndWithTheProcess) {
  const fs::path output = directory_ / "m.krica";
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputLock lock(output);
    std::ofstream(directory_ / "held") << "";
    while (true) ::pause();
  }
  while (!fs::exists(directory_ / "held")) ::usleep(1000);
  EXPECT_THROW(OutputLock second(output), IoError);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(OutputLock again(output));
}

TEST_F(OutputLocks, RemoveWhatKilledWritesLeft) {
  std::ofstream(directory_ / "m.krica.tmp-0123456789abcdef") << "half a model";
  std::ofstream(directory_ / "m.krica") << "old";
  const OutputLock lock(directory_ / "m.krica");
  EXPECT_FALSE(fs::exists(directory_ / "m.krica.tmp-0123456789abcdef"));
  EXPECT_TRUE(fs::exists(directory_ / "m.krica"));
}

TEST_F(OutputLocks, NeedADirectory) {
  EXPECT_THROW(OutputLock lock(directory_ / "missing" / "m.krica"), IoError);
}

}  // namespace
}  // namespace krica
