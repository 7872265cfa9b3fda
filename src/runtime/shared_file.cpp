// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "runtime/io_error.hpp"
#include "runtime/ranks.hpp"

namespace krica {

SharedFile::SharedFile(const Context& context, std::string operation, std::filesystem::path path)
    : context_(context), operation_(std::move(operation)), path_(std::move(path)) {
  const bool creates = !context.shares_rows() || is_first(context);
  agree(context_, [&] {
    if (creates) created_.emplace(operation_, path_);
  });
  if (context.shares_rows()) open_what_the_first_created();
}

void SharedFile::open_what_the_first_created() {
  Communicator& ranks = *context_.ranks();
  std::string name = created_ ? created_->temporary().string() : std::string();
  std::uint64_t length = name.size();
  ranks.broadcast(0, &length, sizeof(length));
  name.resize(length);
  ranks.broadcast(0, name.data(), length);
  agree(context_, [&] {
    if (created_) return;
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0) {
      io_error(operation_, path_, "cannot open what another rank created; all need one directory",
               errno);
    }
  });
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedFile::write_at(std::size_t offset, const void* data, std::size_t size) {
  if (created_) return created_->write_at(offset, data, size);
  krica::write_at(operation_, path_, descriptor_, offset, data, size);
}

void SharedFile::commit() {
  agree(context_, [&] {
    if (descriptor_ >= 0 && ::fsync(descriptor_) != 0)
      io_error(operation_, path_, "cannot sync", errno);
  });
  agree(context_, [&] {
    if (created_) created_->commit();
  });
}

}  // namespace krica
