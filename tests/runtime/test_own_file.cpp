// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "krica/runtime/error.hpp"
#include "runtime/file.hpp"
#include "runtime/own_file.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kFlags = O_RDWR | O_CREAT;

class OwnFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "krica-own-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    std::ofstream(directory_ / "victim") << "precious";
  }
  void TearDown() override {
    EXPECT_EQ(read_file(directory_ / "victim"), "precious");
    fs::remove_all(directory_);
  }

  /// What is said when the file is opened; empty if it is.
  static std::string refusal(const fs::path& path, int flags = kFlags) {
    try {
      ::close(open_own_file("test", path, flags));
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  }

  fs::path directory_;
};

TEST_F(OwnFiles, AreMadeAndOpenedAgainWithTheirContent) {
  const fs::path path = directory_ / "own";
  for (const char* expected : {"", "a", "aa"}) {
    EXPECT_NO_THROW(require_own_file("test", path));
    const int file = open_own_file("test", path, kFlags | O_APPEND);
    EXPECT_EQ(read_file(path), expected);
    EXPECT_EQ(::write(file, "a", 1), 1);
    ::close(file);
  }
}

TEST_F(OwnFiles, AreNoLinks) {
  const fs::path path = directory_ / "own";
  for (const char* target : {"victim", "missing", "."}) {
    fs::create_symlink(target, path);
    EXPECT_THAT(refusal(path), AllOf(HasSubstr("[test] " + path.string() + ": is a symbolic link"),
                                     HasSubstr("remove it")));
    EXPECT_THROW(require_own_file("test", path), IoError);
    fs::remove(path);
  }
  EXPECT_FALSE(fs::exists(directory_ / "missing"));
  fs::create_hard_link(directory_ / "victim", path);
  EXPECT_THAT(refusal(path), HasSubstr("hard links"));
}

/// A pipe without a reader or writer must not be waited for.
TEST_F(OwnFiles, AreRegular) {
  const fs::path path = directory_ / "own";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const int flags : {kFlags, O_WRONLY | O_CREAT, O_RDONLY})
    EXPECT_THAT(refusal(path, flags), HasSubstr("is not a regular file"));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_THAT(refusal(path), HasSubstr("is not a regular file"));
}

TEST_F(OwnFiles, SayWhyTheyCannotBeMade) {
  EXPECT_THAT(refusal(directory_ / "none" / "own"), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace krica
