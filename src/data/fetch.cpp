// SPDX-License-Identifier: BSD-3-Clause
#include "data/fetch.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>

#include "data/byte_source.hpp"
#include "data/errors.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/digest.hpp"
#include "runtime/own_file.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kBlock = Index{1} << 20;

/// The part file, open for appending, and the state of the callbacks.
class Transfer {
 public:
  Transfer(const Context& context, const fs::path& part, const std::string& stage)
      : context_(context), stage_(stage) {
    descriptor_ = open_own_file("download", part, O_WRONLY | O_CREAT | O_APPEND);
    resumed_at_ = ::lseek(descriptor_, 0, SEEK_END);
  }
  ~Transfer() { ::close(descriptor_); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[nodiscard]] Index resumed_at() const { return resumed_at_; }
  [[nodiscard]] int write_error() const { return write_error_; }

  static std::size_t on_data(char* data, std::size_t, std::size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    std::size_t done = 0;
    while (done < count) {
      const ssize_t written = ::write(transfer->descriptor_, data + done, count - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        transfer->write_error_ = errno;
        return 0;
      }
      done += static_cast<std::size_t>(written);
    }
    return count;
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    const auto* transfer = static_cast<const Transfer*>(self);
    if (total > 0) {
      transfer->context_.notify({.stage = transfer->stage_,
                                 .step = transfer->resumed_at_ + now,
                                 .total = transfer->resumed_at_ + total});
    }
    return transfer->context_.cancelled() ? 1 : 0;
  }

 private:
  const Context& context_;
  const std::string& stage_;
  int descriptor_ = -1;
  Index resumed_at_ = 0;
  int write_error_ = 0;
};

void start_curl_once() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

void set_options(CURL* curl, const std::string& address, Transfer& transfer) {
  curl_easy_setopt(curl, CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "krica");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Transfer::on_data);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, Transfer::on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.resumed_at()));
}

/// True if the part was continued or completed; false if it cannot be continued.
bool transfer_part(const Context& context, const std::string& address, const fs::path& part,
                   const std::string& stage) {
  start_curl_once();
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 curl_easy_cleanup);
  if (!curl) throw std::bad_alloc();
  Transfer transfer(context, part, stage);
  set_options(curl.get(), address, transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  context.check_cancelled();
  if (code == CURLE_OK) return true;
  if (transfer.write_error() != 0)
    io_error("download", part, "cannot write", transfer.write_error());
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  const bool cannot_resume =
      code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || status == 416;
  if (cannot_resume && transfer.resumed_at() > 0) return false;
  throw TransferError(fmt::format("{}: {}{}", address, curl_easy_strerror(code),
                                  status >= 400 ? fmt::format(" (status {})", status) : ""));
}

/// Puts a complete file in place, safe against power failure.
void put_in_place(const fs::path& part, const fs::path& path) {
  const int descriptor = open_own_file("download", part, O_RDONLY);
  const bool synced = ::fsync(descriptor) == 0;
  const int reason = errno;
  ::close(descriptor);
  if (!synced) io_error("download", part, "cannot sync", reason);
  std::error_code error;
  fs::rename(part, path, error);
  if (error) io_error("download", path, "cannot put in place", error.value());
  sync_directory(directory_of(path));
}

}  // namespace

std::string md5_of(const Context& context, const fs::path& path) {
  const ByteSourcePtr source = open_file("download", path);
  Digest digest(Digest::Kind::kMd5);
  Bytes block(static_cast<std::size_t>(kBlock));
  for (Index at = 0; at < source->size(); at += kBlock) {
    context.check_cancelled();
    const Index count = std::min(kBlock, source->size() - at);
    source->read(at, count, block.data());
    digest.add(block.data(), static_cast<std::size_t>(count));
  }
  return digest.finish();
}

void fetch(const Context& context, const std::string& address, const std::string& md5,
           const fs::path& path) {
  fs::path part = path;
  part += ".part";
  if (fs::exists(path)) {
    const std::string there = md5_of(context, path);
    if (there == md5) {
      fs::remove(part);  // from an earlier attempt, before the file arrived another way
      return;
    }
    data_error("download", path.string(),
               "its md5 is {}, it must be {}: damaged, or another version; remove it, and the same "
               "command fetches it",
               there, md5);
  }
  require_own_file("download", part);
  const std::string stage = path.filename().string();
  // A part that was complete or of another version cannot be continued: start over once.
  bool fresh = !fs::exists(part);
  std::string found = fresh ? "" : md5_of(context, part);
  while (found != md5) {
    const bool transferred = transfer_part(context, address, part, stage);
    found = transferred ? md5_of(context, part) : "";
    if (found == md5) break;
    fs::remove(part);
    if (fresh) {
      throw WrongContent(
          fmt::format("[download] {}: the md5 of {} is {}, it must be {}; nothing was kept", stage,
                      address, found, md5));
    }
    fresh = true;
  }
  put_in_place(part, path);
}

}  // namespace krica
