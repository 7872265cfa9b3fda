// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "data/byte_source.hpp"
#include "data/errors.hpp"
#include "runtime/unnamed_file.hpp"

namespace krica {
namespace {

constexpr Index kBlock = Index{1} << 18;
constexpr Index kMostInMemory = Index{4} << 20;

/// What has been unpacked: in memory, or in a temporary file where it is longer.
class Unpacked {
 public:
  explicit Unpacked(const ByteSource& source) : source_(source) {}
  ~Unpacked() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  [[nodiscard]] Index size() const { return size_; }

  void append(std::span<const std::uint8_t> bytes) {
    size_ += std::ssize(bytes);
    if (size_ <= kMostInMemory) {
      memory_.insert(memory_.end(), bytes.begin(), bytes.end());
      return;
    }
    if (descriptor_ < 0) {
      descriptor_ = open_unnamed_file(source_.operation(), static_cast<std::size_t>(size_));
      write(memory_);
      memory_ = {};
    }
    write(bytes);
  }

  ByteSourcePtr finish() {
    return descriptor_ < 0 ? memory_source(source_.operation(), source_.name(), std::move(memory_))
                           : unnamed_source(source_.operation(), source_.name(),
                                            std::exchange(descriptor_, -1), size_);
  }

 private:
  void write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        no_room_in_temporary_directory(source_.operation(), static_cast<std::size_t>(size_), errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  const ByteSource& source_;
  Bytes memory_;
  int descriptor_ = -1;
  Index size_ = 0;
};

/// An inflate stream over a source; gzip files may consist of several members.
class Inflater {
 public:
  Inflater(const Context& context, const ByteSource& source, std::span<const std::uint8_t> start)
      : context_(context), source_(source), start_(start), input_(kBlock), block_(kBlock) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  ByteSourcePtr run() {
    Unpacked output(source_);
    bool member_ended = false;
    while (refill()) {
      if (member_ended && inflateReset(&stream_) != Z_OK) broken();
      member_ended = inflate_block(output);
    }
    if (!member_ended) {
      data_error(source_.operation(), source_.name(), "truncated: the gzip stream has no end");
    }
    return output.finish();
  }

 private:
  /// False at the end of the input.
  bool refill() {
    if (stream_.avail_in > 0) return true;
    const Index count = std::min(kBlock, source_.size() - offset_);
    if (count == 0) return false;
    context_.check_cancelled();
    source_.read(offset_, count, input_.data());
    offset_ += count;
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(count);
    return true;
  }

  /// Inflates the input buffer; true at the end of a member.
  bool inflate_block(Unpacked& output) {
    int status = Z_OK;
    do {
      if (output.size() > context_.memory_bytes()) {
        data_error(source_.operation(), source_.name(),
                   "unpacked, it exceeds the memory budget of {} bytes; unpack the file with "
                   "gunzip to read it from disk",
                   context_.memory_bytes());
      }
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uInt>(kBlock);
      status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) broken();
      const auto made = static_cast<std::size_t>(kBlock - stream_.avail_out);
      check_start(std::span(block_).first(made));
      output.append(std::span(block_).first(made));
    } while (status != Z_STREAM_END && stream_.avail_out == 0);
    return status == Z_STREAM_END;
  }

  /// Compares what is left of the start.
  void check_start(std::span<const std::uint8_t> next) {
    const std::size_t there = std::min(start_.size(), next.size());
    if (!std::ranges::equal(start_.first(there), next.first(there)))
      data_error(source_.operation(), source_.name(), "the gzip stream holds something else");
    start_ = start_.subspan(there);
  }

  [[noreturn]] void broken() const {
    data_error(source_.operation(), source_.name(), "broken gzip stream ({})",
               stream_.msg != nullptr ? stream_.msg : "no reason given");
  }

  const Context& context_;
  const ByteSource& source_;
  std::span<const std::uint8_t> start_;
  Bytes input_;
  Bytes block_;
  Index offset_ = 0;
  z_stream stream_{};
};

}  // namespace

ByteSourcePtr gunzip(const Context& context, const ByteSource& source,
                     std::span<const std::uint8_t> start) {
  return Inflater(context, source, start).run();
}

}  // namespace krica
