// SPDX-License-Identifier: BSD-3-Clause
//
// A library for LD_PRELOAD that lets a call fail, or cuts the power, at a chosen place:
//
//   KRICA_FAULT=alloc:N   the N-th allocation after main() has begun gives no memory: malloc() and
//                         its kin, and mappings of memory or of files to be written
//   KRICA_FAULT=buffer:N  the N-th allocation by Highway: it returns a null pointer to its caller,
//                         where others throw
//   KRICA_FAULT=io:N      the N-th call that changes a file or a directory fails with ENOSPC:
//                         opening or creating a file to write, writing, sizing, syncing, renaming,
//                         removing, making a directory
//   KRICA_FAULT=cut:N     before that call the power is cut: the process ends (code 137), what was
//                         written and not synced is lost, and so are renames and new directories
//                         whose parent directory was not synced; what was written through a mapping
//                         is kept from msync() on
//   KRICA_FAULT=kept:N    the same with the renames, the directories and the sizes of files kept,
//                         and zeros for what was not synced: either may happen
//   KRICA_FAULT_COUNT=F   the number of calls is written to the file F when the process ends
//
// Nothing here allocates memory before the power is cut.
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum class Fault { kNone, kAllocation, kBuffer, kFile, kCut, kCutAfterRenames };

Fault fault = Fault::kNone;
long chosen = 0;                  // the call that fails, from 1 on
std::atomic<long> calls = 0;      // of the chosen kind so far
std::atomic<bool> begun = false;  // main() has

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// The C library's own function, past the one defined here.
#define KRICA_NEXT(function) next<decltype(&::function)>(#function)

using Path = std::array<char, PATH_MAX>;

void set(Path& text, const char* value) { std::snprintf(text.data(), text.size(), "%s", value); }

/// A file that was opened to be written.
struct File {
  Path path{};
  dev_t device = 0;
  ino_t number = 0;
  off_t synced = 0;        // bytes that a power cut leaves
  void* memory = nullptr;  // a mapping of it
};

/// A new directory or a rename, until its parent directory is synced.
struct Change {
  Path path{};
  Path former{};    // of a rename: its name before
  Path replaced{};  // of a rename: where what it replaced is kept
  bool settled = false;
};

std::array<File, 1024> files;
std::array<Change, 1024> changes;
std::size_t file_count = 0;
std::size_t change_count = 0;
std::mutex tables;  // guards these four

/// Room for one more in a table.
template <class Row, std::size_t Size>
Row& added(std::array<Row, Size>& table, std::size_t& count) {
  if (count == Size) ::abort();
  return table[count++];
}

File* file_with(const struct stat& info) {
  for (std::size_t i = file_count; i-- > 0;) {
    if (files[i].device == info.st_dev && files[i].number == info.st_ino) return &files[i];
  }
  return nullptr;
}

File* known_file(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? file_with(info) : nullptr;
}

/// Replaces `from` by `to` in a path that is `from` or lies below it.
void move_path(Path& path, const char* from, const char* to) {
  const std::size_t length = std::strlen(from);
  if (std::strncmp(path.data(), from, length) != 0) return;
  if (path[length] != 0 && path[length] != '/') return;
  Path moved{};
  std::snprintf(moved.data(), moved.size(), "%s%s", to, path.data() + length);
  path = moved;
}

void move_paths(const char* from, const char* to) {
  for (std::size_t i = 0; i < file_count; ++i) move_path(files[i].path, from, to);
  for (std::size_t i = 0; i < change_count; ++i) move_path(changes[i].path, from, to);
}

int remove_entry(const char* path, const struct stat* /*info*/, int /*type*/, FTW* /*place*/) {
  return KRICA_NEXT(remove)(path);
}

void undo(Change& change) {
  if (change.former[0] == 0) {  // a new directory, and what is in it
    ::nftw(change.path.data(), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return;
  }
  KRICA_NEXT(rename)(change.path.data(), change.former.data());
  if (change.replaced[0] != 0) {
    KRICA_NEXT(rename)(change.replaced.data(), change.path.data());
    return;
  }
  const Path path = change.path;  // perhaps of a directory, in which there were other changes
  move_paths(path.data(), change.former.data());
}

void lose_unsynced(const File& file) {
  struct stat info {};
  if (::stat(file.path.data(), &info) != 0 || info.st_size <= file.synced) return;
  if (info.st_dev != file.device || info.st_ino != file.number) return;
  const auto resize = KRICA_NEXT(truncate);
  resize(file.path.data(), file.synced);
  if (fault == Fault::kCutAfterRenames) resize(file.path.data(), info.st_size);
}

[[noreturn]] void cut_power() {
  const std::lock_guard lock(tables);
  begun = false;
  for (std::size_t i = 0; i < file_count; ++i) lose_unsynced(files[i]);
  for (std::size_t i = change_count; fault == Fault::kCut && i-- > 0;) {
    if (!changes[i].settled) undo(changes[i]);
  }
  ::_exit(137);
}

/// Where a library lies.
struct Library {
  const char* name;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool contains(const void* caller) const {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return address >= begin && address < end;
  }
};
// OpenSSL 3.0 crashes where its own start finds no memory, so its calls do not count.
Library openssl{"libcrypto"};
Library highway{"libhwy."};

int find_libraries(dl_phdr_info* loaded, std::size_t /*size*/, void* /*unused*/) {
  for (Library* library : {&openssl, &highway}) {
    if (std::strstr(loaded->dlpi_name, library->name) == nullptr) continue;
    library->begin = loaded->dlpi_addr;
    for (int i = 0; i < loaded->dlpi_phnum; ++i) {
      const auto& part = loaded->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      library->end =
          std::max<std::uintptr_t>(library->end, library->begin + part.p_vaddr + part.p_memsz);
    }
  }
  return 0;
}

/// Counts a call; true where it is to fail.
bool fails(bool is_allocation) {
  const bool of_memory = fault == Fault::kAllocation || fault == Fault::kBuffer;
  if (!begun || fault == Fault::kNone || is_allocation != of_memory) return false;
  if (++calls != chosen) return false;
  if (fault == Fault::kCut || fault == Fault::kCutAfterRenames) cut_power();
  errno = is_allocation ? ENOMEM : ENOSPC;
  return true;
}

/// The same for an allocation.
bool fails_at(const void* caller) {
  if (!begun || openssl.contains(caller)) return false;
  return (fault != Fault::kBuffer || highway.contains(caller)) && fails(true);
}

void read_wishes() {
  const char* wish = std::getenv("KRICA_FAULT");
  if (wish == nullptr) return;
  const auto is = [&](const char* name) {
    return std::strncmp(wish, name, std::strlen(name)) == 0;
  };
  if (is("alloc:")) fault = Fault::kAllocation;
  if (is("buffer:")) fault = Fault::kBuffer;
  if (is("io:")) fault = Fault::kFile;
  if (is("cut:")) fault = Fault::kCut;
  if (is("kept:")) fault = Fault::kCutAfterRenames;
  const char* number = std::strchr(wish, ':');
  chosen = number != nullptr ? std::atol(number + 1) : 0;
}

void tell_count() {
  const char* path = std::getenv("KRICA_FAULT_COUNT");
  if (path == nullptr) return;
  begun = false;
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%ld", calls.load());
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (::write(file, text.data(), static_cast<std::size_t>(size)) != size) ::abort();
  ::close(file);
}

int (*real_main)(int, char**, char**) = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_wishes();
  ::dl_iterate_phdr(find_libraries, nullptr);
  begun = true;
  const int code = real_main(argc, argv, environment);
  tell_count();
  return code;
}

bool is_data(const char* path) {
  return std::strncmp(path, "/dev", 4) != 0 && std::strncmp(path, "/proc", 5) != 0;
}

/// Notes a file that was opened to be written.
int opened(int descriptor, const char* path, bool truncated) {
  struct stat info {};
  if (!begun || descriptor < 0 || !is_data(path)) return descriptor;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return descriptor;
  const std::lock_guard lock(tables);
  File* file = file_with(info);
  if (file == nullptr || std::strcmp(file->path.data(), path) != 0) {
    // A file that was replaced may have had the same number.
    if (file == nullptr) file = &added(files, file_count);
    *file = {};
    set(file->path, path);
    file->device = info.st_dev;
    file->number = info.st_ino;
    file->synced = info.st_size;
  }
  if (truncated) file->synced = 0;
  return descriptor;
}

/// The change is there to stay. What a rename replaced is gone.
void settle(Change& change) {
  if (change.replaced[0] != 0) KRICA_NEXT(unlink)(change.replaced.data());
  change.settled = true;
}

void settle_changes_in(const struct stat& directory) {
  for (std::size_t i = 0; i < change_count; ++i) {
    if (changes[i].settled) continue;
    Path parent = changes[i].path;
    char* const slash = std::strrchr(parent.data(), '/');
    if (slash == nullptr) set(parent, ".");
    if (slash != nullptr) slash[slash == parent.data() ? 1 : 0] = 0;
    struct stat info {};
    if (::stat(parent.data(), &info) == 0 && info.st_dev == directory.st_dev &&
        info.st_ino == directory.st_ino) {
      settle(changes[i]);
    }
  }
}

void synced(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return;
  const std::lock_guard lock(tables);
  if (S_ISDIR(info.st_mode)) settle_changes_in(info);
  File* const file = file_with(info);
  if (file != nullptr) file->synced = info.st_size;
}

void resized(const struct stat& info, off_t size) {
  const std::lock_guard lock(tables);
  File* const file = file_with(info);
  if (file != nullptr) file->synced = std::min(file->synced, size);
}

/// Forgets a file that is about to be removed: another one may get its number.
void forget(int directory, const char* path) {
  struct stat info {};
  if (!begun || ::fstatat(directory, path, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  const std::lock_guard lock(tables);
  File* const file = file_with(info);
  if (file != nullptr) *file = {};
}

/// Whether this write is to fail. As on a full disk, a part is written first.
bool write_fails(int descriptor, const void* data, std::size_t size, off_t offset) {
  if (!begun || descriptor <= 2) return false;
  {
    const std::lock_guard lock(tables);
    if (known_file(descriptor) == nullptr) return false;
  }
  if (!fails(false)) return false;
  const ssize_t part = offset < 0 ? KRICA_NEXT(write)(descriptor, data, size / 2)
                                  : KRICA_NEXT(pwrite)(descriptor, data, size / 2, offset);
  if (part >= 0) errno = ENOSPC;
  return true;
}

bool changes_file(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY && (flags & O_DIRECTORY) == 0;
}

std::FILE* open_stream(std::FILE* (*real)(const char*, const char*), const char* path,
                       const char* mode) {
  const bool changes_it = std::strpbrk(mode, "wa+") != nullptr && is_data(path);
  if (changes_it && fails(false)) return nullptr;
  std::FILE* const file = real(path, mode);
  if (changes_it && file != nullptr) opened(::fileno(file), path, mode[0] == 'w');
  return file;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini,
                                          stack_end);
}

void* malloc(std::size_t size) {
  return fails_at(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fails_at(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  return fails_at(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails_at(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fails_at(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (fails_at(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}

void* mmap(void* place, std::size_t size, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
  const bool is_output = (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0;
  if ((is_memory || is_output) && fails_at(__builtin_return_address(0))) return MAP_FAILED;
  void* const memory = KRICA_NEXT(mmap)(place, size, protection, flags, descriptor, offset);
  if (!begun || is_memory || !is_output || memory == MAP_FAILED) return memory;
  const std::lock_guard lock(tables);
  for (std::size_t i = 0; i < file_count; ++i)
    if (files[i].memory == memory) files[i].memory = nullptr;
  File* const file = known_file(descriptor);
  if (file != nullptr) file->memory = memory;
  return memory;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  const bool changes_it = changes_file(flags) && is_data(path);
  if (changes_it && fails(false)) return -1;
  const int descriptor = next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
  return changes_it ? opened(descriptor, path, (flags & O_TRUNC) != 0) : descriptor;
}
std::FILE* fopen(const char* path, const char* mode) {
  return open_stream(KRICA_NEXT(fopen), path, mode);
}
int mkostemp(char* path, int flags) {
  if (fails(false)) return -1;
  return opened(KRICA_NEXT(mkostemp)(path, flags), path, true);
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  if (write_fails(descriptor, data, size, -1)) return -1;
  return KRICA_NEXT(write)(descriptor, data, size);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (count > 0 && write_fails(descriptor, parts->iov_base, parts->iov_len, -1)) return -1;
  return KRICA_NEXT(writev)(descriptor, parts, count);
}
ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t offset) {
  if (write_fails(descriptor, data, size, offset)) return -1;
  return KRICA_NEXT(pwrite)(descriptor, data, size, offset);
}

int ftruncate(int descriptor, off_t size) noexcept {
  if (fails(false)) return -1;
  const int result = KRICA_NEXT(ftruncate)(descriptor, size);
  struct stat info {};
  if (result == 0 && ::fstat(descriptor, &info) == 0) resized(info, size);
  return result;
}
int truncate(const char* path, off_t size) noexcept {
  if (fails(false)) return -1;
  const int result = KRICA_NEXT(truncate)(path, size);
  struct stat info {};
  if (result == 0 && ::stat(path, &info) == 0) resized(info, size);
  return result;
}
int posix_fallocate(int descriptor, off_t offset, off_t size) {
  if (fails(false)) return ENOSPC;
  return KRICA_NEXT(posix_fallocate)(descriptor, offset, size);
}

int fsync(int descriptor) {
  if (fails(false)) return -1;
  const int result = KRICA_NEXT(fsync)(descriptor);
  if (begun && result == 0) synced(descriptor);
  return result;
}
int msync(void* memory, std::size_t size, int flags) {
  if (fails(false)) return -1;
  const int result = KRICA_NEXT(msync)(memory, size, flags);
  const std::lock_guard lock(tables);
  for (std::size_t i = 0; i < file_count; ++i) {
    struct stat info {};
    if (files[i].memory == memory && ::stat(files[i].path.data(), &info) == 0)
      files[i].synced = info.st_size;
  }
  return result;
}
void sync() noexcept {
  KRICA_NEXT(sync)();
  const std::lock_guard lock(tables);
  for (std::size_t i = 0; i < change_count; ++i)
    if (!changes[i].settled) settle(changes[i]);
  for (std::size_t i = 0; i < file_count; ++i) {
    struct stat info {};
    if (::stat(files[i].path.data(), &info) == 0) files[i].synced = info.st_size;
  }
}

int rename(const char* from, const char* to) noexcept {
  if (fails(false)) return -1;
  if (!begun) return KRICA_NEXT(rename)(from, to);
  const std::lock_guard lock(tables);
  Change change;
  set(change.path, to);
  set(change.former, from);
  std::snprintf(change.replaced.data(), PATH_MAX, "%s.replaced-%zu", to, change_count);
  if (::link(to, change.replaced.data()) != 0) change.replaced[0] = 0;  // there is no such file
  const int result = KRICA_NEXT(rename)(from, to);
  if (result != 0) return result;
  move_paths(from, to);
  added(changes, change_count) = change;
  return result;
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (fails(false)) return -1;
  const int result = KRICA_NEXT(mkdir)(path, mode);
  if (!begun || result != 0) return result;
  const std::lock_guard lock(tables);
  set(added(changes, change_count).path, path);
  return result;
}
int unlink(const char* path) noexcept {
  if (fails(false)) return -1;
  forget(AT_FDCWD, path);
  return KRICA_NEXT(unlink)(path);
}
int unlinkat(int directory, const char* path, int flags) noexcept {
  if (fails(false)) return -1;
  forget(directory, path);
  return KRICA_NEXT(unlinkat)(directory, path, flags);
}
int remove(const char* path) noexcept {
  if (fails(false)) return -1;
  forget(AT_FDCWD, path);
  return KRICA_NEXT(remove)(path);
}
int rmdir(const char* path) noexcept { return fails(false) ? -1 : KRICA_NEXT(rmdir)(path); }

// The same functions by the names that programs with large files call.
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
std::FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
ssize_t pwrite64(int, const void*, std::size_t, off_t) __attribute__((alias("pwrite")));
int ftruncate64(int, off_t) noexcept __attribute__((alias("ftruncate")));
int truncate64(const char*, off_t) noexcept __attribute__((alias("truncate")));
int posix_fallocate64(int, off_t, off_t) __attribute__((alias("posix_fallocate")));
int mkostemp64(char*, int) __attribute__((alias("mkostemp")));
void* mmap64(void*, std::size_t, int, int, int, off_t) noexcept __attribute__((alias("mmap")));
int fdatasync(int) __attribute__((alias("fsync")));
}
