// SPDX-License-Identifier: BSD-3-Clause
//
// A library for LD_PRELOAD that lets a call fail, or cuts the power, at a chosen place:
//
//   KRICA_FAULT=alloc:N   the N-th allocation after main() has begun gives no memory
//   KRICA_FAULT=io:N      the N-th call that changes a file fails with ENOSPC: open for writing,
//                         write, ftruncate, fsync, rename
//   KRICA_FAULT=cut:N     before that call the power is cut: the process ends (code 137), what was
//                         written and not synced is lost, and so are renames whose directory was
//                         not synced; what was written through a mapping counts as lost
//   KRICA_FAULT=kept:N    the same with the renames kept: either may happen
//   KRICA_FAULT_COUNT=F   the number of calls is written to the file F when the process ends
//
// Nothing here allocates memory.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
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

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum class Fault { kNone, kAllocation, kFile, kCut, kCutAfterRenames };

Fault fault = Fault::kNone;
long chosen = 0;                  // the call that fails, from 1 on
std::atomic<long> calls = 0;      // of the chosen kind so far
std::atomic<bool> begun = false;  // main() has

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// A file that was opened for writing, or renamed.
struct Known {
  std::array<char, PATH_MAX> path{};
  std::array<char, PATH_MAX> replaced{};  // after a rename: where what it replaced is kept
  std::array<char, PATH_MAX> former{};    // after a rename: its name before
  off_t synced = 0;                       // bytes that a power cut leaves
  int descriptor = -1;
};
constexpr std::size_t kMostFiles = 64;
std::array<Known, kMostFiles> files;
std::atomic<std::size_t> file_count = 0;

template <std::size_t Size>
void set(std::array<char, Size>& text, const char* value) {
  std::snprintf(text.data(), Size, "%s", value);
}

Known* known_file(int descriptor) {
  for (std::size_t i = file_count; i-- > 0;)
    if (files[i].descriptor == descriptor) return &files[i];
  return nullptr;
}

void undo_rename(Known& file) {
  if (file.former[0] == 0) return;
  ::unlink(file.path.data());
  if (file.replaced[0] != 0)
    next<int (*)(const char*, const char*)>("rename")(file.replaced.data(), file.path.data());
}

[[noreturn]] void cut_power() {
  for (std::size_t i = file_count; i-- > 0;) {
    if (fault == Fault::kCut && files[i].former[0] != 0) {
      undo_rename(files[i]);
      continue;
    }
    struct stat info {};
    if (::stat(files[i].path.data(), &info) == 0 && info.st_size > files[i].synced)
      next<int (*)(const char*, off_t)>("truncate")(files[i].path.data(), files[i].synced);
  }
  ::_exit(137);
}

/// Where OpenSSL lies. Its 3.0 crashes where its own start finds no memory, so its calls do not
/// count.
std::uintptr_t crypto_begin = 0;
std::uintptr_t crypto_end = 0;

int find_crypto(dl_phdr_info* library, std::size_t /*size*/, void* /*unused*/) {
  if (std::strstr(library->dlpi_name, "libcrypto") == nullptr) return 0;
  crypto_begin = library->dlpi_addr;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type == PT_LOAD)
      crypto_end = std::max<std::uintptr_t>(crypto_end, crypto_begin + part.p_vaddr + part.p_memsz);
  }
  return 1;
}

bool is_crypto(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return address >= crypto_begin && address < crypto_end;
}

/// Counts a call; true where it is to fail.
bool fails(bool is_allocation) {
  if (!begun || fault == Fault::kNone || is_allocation != (fault == Fault::kAllocation))
    return false;
  if (++calls != chosen) return false;
  if (fault == Fault::kCut || fault == Fault::kCutAfterRenames) cut_power();
  errno = is_allocation ? ENOMEM : ENOSPC;
  return true;
}

/// The same for an allocation.
bool fails_at(const void* caller) { return begun && !is_crypto(caller) && fails(true); }

bool is_data_file(int descriptor) {
  struct stat info {};
  return descriptor > 2 && ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

void read_wishes() {
  const char* wish = std::getenv("KRICA_FAULT");
  if (wish == nullptr) return;
  const auto is = [&](const char* name) {
    return std::strncmp(wish, name, std::strlen(name)) == 0;
  };
  if (is("alloc:")) fault = Fault::kAllocation;
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
  ::dl_iterate_phdr(find_crypto, nullptr);
  begun = true;
  const int code = real_main(argc, argv, environment);
  tell_count();
  return code;
}

int opened(int descriptor, const char* path, int flags) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (!begun || descriptor < 0 || !writes || !is_data_file(descriptor)) return descriptor;
  const std::size_t place = file_count < kMostFiles ? file_count++ : kMostFiles - 1;
  Known& file = files[place];
  file = {};
  set(file.path, path);
  file.descriptor = descriptor;
  struct stat info {};
  if ((flags & O_TRUNC) == 0 && ::fstat(descriptor, &info) == 0) file.synced = info.st_size;
  return descriptor;
}

/// A directory was synced: its renames are there to stay.
void settle_renames() {
  for (std::size_t i = 0; i < file_count; ++i) {
    if (files[i].replaced[0] != 0) ::unlink(files[i].replaced.data());
    files[i].former[0] = 0;
    files[i].replaced[0] = 0;
  }
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

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  const bool regular = std::strncmp(path, "/dev", 4) != 0 && (flags & O_DIRECTORY) == 0;
  if ((flags & O_ACCMODE) != O_RDONLY && regular && fails(false)) return -1;
  return opened(next<int (*)(const char*, int, ...)>("open")(path, flags, mode), path, flags);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open(path, flags, mode);
}
ssize_t write(int descriptor, const void* data, std::size_t size) {
  if (is_data_file(descriptor) && fails(false)) {
    // As a full disk does it: a part is written first.
    const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
    if (real(descriptor, data, size / 2) < 0) return -1;
    errno = ENOSPC;
    return -1;
  }
  return next<ssize_t (*)(int, const void*, std::size_t)>("write")(descriptor, data, size);
}
int ftruncate(int descriptor, off_t size) noexcept {
  if (fails(false)) return -1;
  return next<int (*)(int, off_t)>("ftruncate")(descriptor, size);
}
int fsync(int descriptor) {
  if (fails(false)) return -1;
  const int result = next<int (*)(int)>("fsync")(descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return result;
  if (S_ISDIR(info.st_mode)) {  // it may have the descriptor of a file that was closed
    settle_renames();
  } else if (Known* file = known_file(descriptor)) {
    file->synced = info.st_size;
  }
  return result;
}
int rename(const char* from, const char* to) noexcept {
  if (fails(false)) return -1;
  const auto real = next<int (*)(const char*, const char*)>("rename");
  for (std::size_t i = 0; i < file_count; ++i)  // what is replaced is not looked after any longer
    if (std::strcmp(files[i].path.data(), to) == 0) files[i] = {};
  for (std::size_t i = file_count; i-- > 0;) {
    Known& file = files[i];
    if (std::strcmp(file.path.data(), from) != 0) continue;
    set(file.former, from);
    set(file.replaced, to);
    std::strncat(file.replaced.data(), ".replaced", PATH_MAX - std::strlen(to) - 1);
    if (::link(to, file.replaced.data()) != 0) file.replaced[0] = 0;
    set(file.path, to);
    break;
  }
  return real(from, to);
}
}
