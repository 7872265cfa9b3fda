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

/// Files of the user with similar names, and one that is a link.
TEST_F(OutputLocks, LeaveOtherFilesAlone) {
  const std::vector<std::string> names = {"m.krica.tmp-notes",
                                          "m.krica.tmp-",
                                          "m.krica.tmp-0123456789ABCDEF",
                                          "m.krica.tmp-012345678",
                                          "m.krica.tmp-0123456789abcdef0",
                                          "n.krica.tmp-0123456789abcdef"};
  for (const std::string& name : names) std::ofstream(directory_ / name) << "own";
  fs::create_symlink("m.krica.tmp-notes", directory_ / "m.krica.tmp-0123456789abcdef");
  { const OutputLock lock(directory_ / "m.krica"); }
  for (const std::string& name : names) EXPECT_TRUE(fs::exists(directory_ / name)) << name;
  EXPECT_TRUE(fs::is_symlink(directory_ / "m.krica.tmp-0123456789abcdef"));
}

TEST_F(OutputLocks, AreNoFilesOfTheUser) {
  const fs::path file = directory_ / "m.krica.lock";
  const auto refusal = [&]() -> std::string {
    try {
      const OutputLock lock(directory_ / "m.krica");
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  };
  std::ofstream(file) << "own";
  EXPECT_THAT(refusal(), testing::AllOf(testing::HasSubstr("m.krica.lock: is not a lock"),
                                        testing::HasSubstr("move it away")));
  EXPECT_EQ(fs::file_size(file), 3U);
  fs::rename(file, directory_ / "own");
  fs::create_symlink("own", file);
  EXPECT_THAT(refusal(), testing::HasSubstr("is a symbolic link"));
  EXPECT_TRUE(fs::exists(directory_ / "own"));
}

TEST_F(OutputLocks, NeedADirectory) {
  EXPECT_THROW(OutputLock lock(directory_ / "missing" / "m.krica"), IoError);
}

}  // namespace
}  // namespace krica
