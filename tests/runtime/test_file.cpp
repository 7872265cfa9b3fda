// SPDX-License-Identifier: BSD-3-Clause
//
// Files are written whole or not at all, and the file system's refusals are IoErrors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/file.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "krica-files-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(directory_))
      all.push_back(entry.path().filename());
    return all;
  }
  [[nodiscard]] static Archive archive_with(const std::string& text) {
    Archive archive;
    archive.put_text("note", text);
    archive.put("x", Matrix<double>(100, 10));
    return archive;
  }
  /// The IoError's message of a save; empty where it went well.
  static std::string refused(const fs::path& path) {
    try {
      archive_with("new").save(path);
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  }

  fs::path directory_;
};

TEST_F(Files, AreReadAsTheyWereWritten) {
  std::string content(100000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * i % 251);
  for (const std::string& written : {content, std::string(), std::string("old")}) {
    write_file_atomically(directory_ / "file", written);
    EXPECT_EQ(read_file(directory_ / "file"), written);
    EXPECT_EQ(names(), std::vector<std::string>{"file"}) << "no temporary file is left";
  }
}

TEST_F(Files, ArchivesAreSavedAndLoaded) {
  archive_with("first").save(directory_ / "a.safetensors");
  archive_with("κ").save(directory_ / "a.safetensors");
  EXPECT_EQ(Archive::load(directory_ / "a.safetensors").text("note"), "κ");
  EXPECT_EQ(read_file(directory_ / "a.safetensors"), archive_with("κ").bytes());
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(Files, RelativePathsAndNamesWithoutADirectoryWork) {
  const fs::path before = fs::current_path();
  fs::current_path(directory_);
  EXPECT_NO_THROW(archive_with("here").save("plain"));
  EXPECT_EQ(Archive::load("plain").text("note"), "here");
  fs::current_path(before);
}

TEST_F(Files, HaveThePermissionsOfAnyNewFile) {
  write_file_atomically(directory_ / "ours", "a");
  std::ofstream(directory_ / "theirs") << "a";
  EXPECT_EQ(fs::status(directory_ / "ours").permissions(),
            fs::status(directory_ / "theirs").permissions());
}

TEST_F(Files, MissingDirectoriesAreRefused) {
  const fs::path path = directory_ / "missing" / "file";
  EXPECT_NE(refused(path).find("No such file or directory"), std::string::npos) << refused(path);
  EXPECT_NE(refused(path).find(path.string()), std::string::npos) << refused(path);
  EXPECT_FALSE(refused("").empty());
  EXPECT_THROW((void)Archive::load(path), IoError);
  EXPECT_TRUE(names().empty());
}

TEST_F(Files, DirectoriesAreNeitherWrittenNorRead) {
  fs::create_directory(directory_ / "folder");
  EXPECT_FALSE(refused(directory_ / "folder").empty());
  EXPECT_TRUE(fs::is_directory(directory_ / "folder"));
  EXPECT_EQ(names().size(), 1U) << "no temporary file is left";
  EXPECT_THROW((void)Archive::load(directory_ / "folder"), IoError);
}

TEST_F(Files, AFileInTheWayOfADirectoryIsRefused) {
  write_file_atomically(directory_ / "file", "old");
  EXPECT_FALSE(refused(directory_ / "file" / "below").empty());
  EXPECT_EQ(read_file(directory_ / "file"), "old");
}

/// Permissions bind nobody who is root, so root takes another user's place for the while.
class AsAnyUser {
 public:
  explicit AsAnyUser(const fs::path& directory) : was_root_(::geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (was_root_)
      changed_ = ::chown(directory.c_str(), kNobody, kNobody) == 0 && ::seteuid(kNobody) == 0;
  }
  AsAnyUser(const AsAnyUser&) = delete;
  AsAnyUser& operator=(const AsAnyUser&) = delete;
  ~AsAnyUser() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }
  [[nodiscard]] bool bound() const { return !was_root_ || changed_; }

 private:
  bool was_root_;
  bool changed_ = false;
};

TEST_F(Files, AReadOnlyDirectoryLeavesTheOldFile) {
  const AsAnyUser user(directory_);
  if (!user.bound()) GTEST_SKIP() << "permissions cannot be enforced here";
  archive_with("old").save(directory_ / "file");
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(refused(directory_ / "file").find("Permission denied"), std::string::npos);
  EXPECT_EQ(Archive::load(directory_ / "file").text("note"), "old");
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(Files, ADirectoryThatCannotBeListedCanBeWrittenTo) {
  const AsAnyUser user(directory_);
  if (!user.bound()) GTEST_SKIP() << "permissions cannot be enforced here";
  fs::permissions(directory_, fs::perms::owner_write | fs::perms::owner_exec);
  EXPECT_EQ(refused(directory_ / "file"), "");
  EXPECT_EQ(Archive::load(directory_ / "file").text("note"), "new");
}

TEST_F(Files, AnUnreadableFileIsRefused) {
  const AsAnyUser user(directory_);
  if (!user.bound()) GTEST_SKIP() << "permissions cannot be enforced here";
  archive_with("old").save(directory_ / "file");
  fs::permissions(directory_ / "file", fs::perms::none);
  EXPECT_THROW((void)Archive::load(directory_ / "file"), IoError);
}

TEST_F(Files, AnEmptyFileIsNoArchive) {
  write_file_atomically(directory_ / "file", "");
  EXPECT_THROW((void)Archive::load(directory_ / "file"), DataError);
  EXPECT_THROW((void)Archive::load("/dev/null"), DataError);
}

/// Several threads may save to one path: whoever is last wins, and every file is whole.
TEST_F(Files, SavedByManyThreadsAtOnceAreWhole) {
  const fs::path path = directory_ / "file";
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string text(static_cast<std::size_t>(1 + 5000 * t), 'a');
        EXPECT_NO_THROW(archive_with(text).save(path));
        EXPECT_NO_THROW((void)Archive::load(path));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

/// A link at a name that could be guessed must not lead the writing elsewhere.
TEST_F(Files, LinksThatWaitForATemporaryNameAreNotFollowed) {
  write_file_atomically(directory_ / "precious", "mine");
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "file.tmp" + std::to_string(::getpid()) + "-" + std::to_string(i);
    fs::create_symlink("precious", directory_ / name);
  }
  AtomicFile file("test", directory_ / "file");
  file.write("new", 3);
  file.commit();
  EXPECT_EQ(read_file(directory_ / "file"), "new");
  EXPECT_EQ(read_file(directory_ / "precious"), "mine");
}

TEST_F(Files, AnUncommittedFileIsRemoved) {
  { AtomicFile("test", directory_ / "file").write("half", 4); }
  EXPECT_TRUE(names().empty());
}

/// The system reads a path only as far as a zero byte: what is there would be somebody else's.
TEST_F(Files, ANameWithAZeroByteIsRefused) {
  write_file_atomically(directory_ / "cat", "mine");
  const std::string name("cat\0dog", 7);
  EXPECT_NE(refused(directory_ / name).find("zero byte"), std::string::npos);
  EXPECT_EQ(read_file(directory_ / "cat"), "mine");
}

}  // namespace
}  // namespace krica
