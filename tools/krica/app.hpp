// SPDX-License-Identifier: BSD-3-Clause
//
// The command `krica`. Exit codes: 0 success, 1 internal error, 2 usage, 3 bad data, 4 file system,
// 130 interrupted with the checkpoint saved.
#pragma once

namespace krica::cli {

int run(int argc, char** argv);

}  // namespace krica::cli
