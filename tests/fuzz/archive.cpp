// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/archive.hpp"

#include "fuzz/signed_archive.hpp"

using namespace krica;

KRICA_FUZZ_TARGET(archive) {
  const std::string file = fuzz::with_checksum(input);
  const Archive archive = Archive::parse(file, "input");
  const std::string written = archive.bytes();
  if (Archive::parse(written, "again").bytes() != written)
    fuzz::fail("an archive changes on its way");
}
