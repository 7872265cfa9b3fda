// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

int main(int argc, char** argv) { return krica::cli::run(argc, argv); }
