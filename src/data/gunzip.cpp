// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>

#include "data/byte_source.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kBlock = Index{1} << 18;

/// An inflate stream over a source; gzip files may consist of several members.
class Inflater {
 public:
  Inflater(const Context& context, const ByteSource& source, std::span<const std::uint8_t> start)
      : context_(context), source_(source), start_(start), input_(kBlock) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Bytes run() {
    Bytes output;
    bool member_ended = false;
    while (refill()) {
      if (member_ended && inflateReset(&stream_) != Z_OK) broken();
      member_ended = inflate_block(output);
    }
    if (!member_ended) {
      data_error(source_.operation(), source_.name(), "truncated: the gzip stream has no end");
    }
    return output;
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
  bool inflate_block(Bytes& output) {
    int status = Z_OK;
    do {
      const auto used = static_cast<Index>(output.size());
      if (used > context_.memory_bytes()) {
        data_error(source_.operation(), source_.name(),
                   "unpacked, it exceeds the memory budget of {} bytes; unpack the file with "
                   "gunzip to read it from disk",
                   context_.memory_bytes());
      }
      output.resize(static_cast<std::size_t>(used + kBlock));
      stream_.next_out = output.data() + used;
      stream_.avail_out = static_cast<uInt>(kBlock);
      status = inflate(&stream_, Z_NO_FLUSH);
      output.resize(static_cast<std::size_t>(used + kBlock - stream_.avail_out));
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) broken();
      check_start(output);
    } while (status != Z_STREAM_END && stream_.avail_out == 0);
    return status == Z_STREAM_END;
  }

  void check_start(const Bytes& output) const {
    const std::size_t there = std::min(start_.size(), output.size());
    if (!std::equal(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(there),
                    start_.begin())) {
      data_error(source_.operation(), source_.name(), "the gzip stream holds something else");
    }
  }

  [[noreturn]] void broken() const {
    data_error(source_.operation(), source_.name(), "broken gzip stream ({})",
               stream_.msg != nullptr ? stream_.msg : "no reason given");
  }

  const Context& context_;
  const ByteSource& source_;
  std::span<const std::uint8_t> start_;
  Bytes input_;
  Index offset_ = 0;
  z_stream stream_{};
};

}  // namespace

ByteSourcePtr gunzip(const Context& context, const ByteSource& source,
                     std::span<const std::uint8_t> start) {
  return memory_source(source.operation(), source.name(), Inflater(context, source, start).run());
}

}  // namespace krica
