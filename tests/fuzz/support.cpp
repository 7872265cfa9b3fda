// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/support.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fuzz/targets.hpp"
#include "krica/runtime/error.hpp"

namespace krica::fuzz {
namespace {

constexpr Index kMemory = Index{64} << 20;
constexpr Index kMostValues = Index{1} << 22;  // that are read at a time

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "krica-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail("no scratch directory");
    path_ = name;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int open_to_write(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
}

/// Reads the items one block after the other.
template <class Set>
void read_all(const Set& set, Index values) {
  if (values == 0 || values > kMostValues) return;
  const Index block = std::max<Index>(1, std::min(set.size(), kMostValues / values));
  std::vector<float> numbers(static_cast<std::size_t>(block * values));
  for (Index first = 0; first < set.size(); first += block)
    set.read(first, std::min(block, set.size() - first), numbers.data());
}

}  // namespace

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

bool add_target(std::string_view name, Target target) {
  return targets().emplace(name, target).second;
}

int examine(Target target, Input input) {
  try {
    target(input);
  } catch (const DataError&) {
  } catch (const InvalidArgument&) {
  } catch (const IoError&) {
  }
  return 0;
}

std::uint8_t take_choice(Input& input) {
  if (input.empty()) return 0;
  const std::uint8_t choice = input.front();
  input = input.subspan(1);
  return choice;
}

const Context& context() {
  static const Context shared({.threads = 1, .memory_bytes = kMemory});
  return shared;
}

const std::filesystem::path& scratch_directory() {
  static const ScratchDirectory directory;
  return directory.path();
}

std::filesystem::path scratch_file(std::string_view name, Input content) {
  // By system calls: a stream's buffer and locale would take longer than many a reader.
  std::filesystem::path path = scratch_directory() / name;
  int file = open_to_write(path);
  if (file < 0 && errno == ENOENT) {
    std::filesystem::create_directories(path.parent_path());
    file = open_to_write(path);
  }
  if (file < 0) fail("no scratch file");
  const bool written = ::write(file, content.data(), content.size()) == std::ssize(content);
  if (::close(file) != 0 || !written) fail("cannot write to the scratch file");
  return path;
}

void read_dataset(const std::filesystem::path& path, const OpenOptions& options) {
  const DataSet data = open_dataset(context(), path, options);
  for (const ImageSetPtr& part : {data.train, data.test, data.unlabelled})
    if (part) read_all(*part, part->shape().values());
  for (const SampleSetPtr& part : {data.train_samples, data.test_samples})
    if (part) read_all(*as_images(part), part->cols());
}

void fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace krica::fuzz
