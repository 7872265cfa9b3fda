// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "krica/runtime/error.hpp"
#include "runtime/out_of_memory.hpp"

namespace krica {
namespace {

constexpr std::uint32_t kFailed = 1;
constexpr std::uint32_t kWantsToStop = 2;

enum class Kind : std::uint32_t {
  kNone,
  kCancelled,
  kInvalidArgument,
  kDataError,
  kIoError,
  kOutOfMemory,
  kOther,
  kDevice  ///< and its trouble
};

struct Failure {
  Kind kind = Kind::kNone;
  std::string what = {};
};

Failure failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Cancelled& error) {
    return {Kind::kCancelled, error.what()};
  } catch (const InvalidArgument& error) {
    return {Kind::kInvalidArgument, error.what()};
  } catch (const DataError& error) {
    return {Kind::kDataError, error.what()};
  } catch (const IoError& error) {
    return {Kind::kIoError, error.what()};
  } catch (const DeviceError& error) {
    const auto trouble = static_cast<std::uint32_t>(error.trouble());
    return {static_cast<Kind>(static_cast<std::uint32_t>(Kind::kDevice) + trouble), error.what()};
  } catch (const OutOfMemory& error) {
    return {Kind::kOutOfMemory, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::kOutOfMemory, "out of memory; lower --memory, --components or --patches"};
  } catch (const std::exception& error) {
    return {Kind::kOther, error.what()};
  }
  return {};
}

[[noreturn]] void throw_failure(const Failure& failure) {
  if (failure.kind >= Kind::kDevice) {
    const auto trouble =
        static_cast<std::uint32_t>(failure.kind) - static_cast<std::uint32_t>(Kind::kDevice);
    throw DeviceError(static_cast<DeviceError::Trouble>(trouble), failure.what);
  }
  switch (failure.kind) {
    case Kind::kCancelled:
      throw Cancelled();
    case Kind::kInvalidArgument:
      throw InvalidArgument(failure.what);
    case Kind::kDataError:
      throw DataError(failure.what);
    case Kind::kIoError:
      throw IoError(failure.what);
    case Kind::kOutOfMemory:
      throw OutOfMemory(failure.what);
    default:
      throw std::runtime_error(failure.what);
  }
}

/// All ranks get the failure of the first rank that has one. A rank that was told to stop because
/// another one failed is not meant.
Failure first_failure(Communicator& ranks, Failure own) {
  std::vector<Kind> kinds(static_cast<std::size_t>(ranks.size()));
  kinds[static_cast<std::size_t>(ranks.rank())] = own.kind;
  ranks.all_gather(kinds.data(), std::vector<std::size_t>(kinds.size(), sizeof(Kind)));
  auto first = std::find_if(kinds.begin(), kinds.end(),
                            [](Kind k) { return k != Kind::kNone && k != Kind::kCancelled; });
  if (first == kinds.end()) first = std::find(kinds.begin(), kinds.end(), Kind::kCancelled);
  const auto root = static_cast<int>(first - kinds.begin());
  std::uint64_t length = own.what.size();
  ranks.broadcast(root, &length, sizeof(length));
  own.kind = *first;
  own.what.resize(length);
  ranks.broadcast(root, own.what.data(), length);
  return own;
}

}  // namespace

Range own_share(const Context& context, Index count) {
  if (!context.shares_rows()) return {0, count};
  return share_of(count, context.ranks()->rank(), context.ranks()->size());
}

Range HeldRows::of(const Context& context) const {
  if (!context.shares_rows()) return {0, rows};
  return of(context.ranks()->rank(), context.ranks()->size());
}

void agree(const Context& context, const std::function<void()>& body) {
  if (!context.shares_rows()) return body();
  Communicator& ranks = *context.ranks();
  const Failure failure = failure_of(body);
  const std::uint32_t bits =
      (failure.kind != Kind::kNone ? kFailed : 0) | (context.wants_to_stop() ? kWantsToStop : 0);
  const std::uint32_t all = ranks.any_of(bits);
  if ((all & kWantsToStop) != 0) context.stop_as_agreed();
  if ((all & kFailed) != 0) throw_failure(first_failure(ranks, failure));
}

void stop_if_wanted(const Context& context) {
  if (context.shares_rows() && context.wants_to_stop()) throw Cancelled();
}

void on_first_rank(const Context& context, const std::function<void()>& body) {
  agree(context.with_shared_rows(), [&] {
    if (is_first(context)) body();
  });
}

void fetch_held_rows(const Context& context, void* matrix, std::size_t row_bytes,
                     const HeldRows& held, const std::function<Range(int)>& computed) {
  if (!context.shares_rows()) return;
  Communicator& ranks = *context.ranks();
  const int own = ranks.rank();
  const auto place = [&](Index row) {
    return static_cast<std::byte*>(matrix) + static_cast<std::size_t>(row) * row_bytes;
  };
  /// What rank `from` sends to rank `to`.
  const auto sent = [&](int from, int to) {
    const Range have = computed(from);
    const Range want = held.of(to, ranks.size());
    const Index begin = std::max(have.begin, want.begin);
    return Range{begin, from == to ? begin : std::max(begin, std::min(have.end, want.end))};
  };
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<Communicator::Bytes> outgoing(size);
  std::vector<Communicator::Bytes> incoming(size);
  for (int other = 0; other < ranks.size(); ++other) {
    const Range out = sent(own, other);
    outgoing[static_cast<std::size_t>(other)].assign(place(out.begin), place(out.end));
    incoming[static_cast<std::size_t>(other)].resize(
        static_cast<std::size_t>(sent(other, own).size()) * row_bytes);
  }
  ranks.exchange(outgoing, incoming);
  for (int other = 0; other < ranks.size(); ++other) {
    const Communicator::Bytes& bytes = incoming[static_cast<std::size_t>(other)];
    if (!bytes.empty()) std::memcpy(place(sent(other, own).begin), bytes.data(), bytes.size());
  }
}

void gather_computed(const Context& context, void* values, std::size_t value_bytes,
                     const std::function<Range(int)>& computed) {
  if (!context.shares_rows()) return;
  std::vector<std::size_t> sizes(static_cast<std::size_t>(context.ranks()->size()));
  for (int rank = 0; rank < context.ranks()->size(); ++rank) {
    sizes[static_cast<std::size_t>(rank)] =
        static_cast<std::size_t>(computed(rank).size()) * value_bytes;
  }
  context.ranks()->all_gather(values, sizes);
}

}  // namespace krica
