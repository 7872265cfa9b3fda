// SPDX-License-Identifier: BSD-3-Clause
//
// A library for LD_PRELOAD: every rank gets SIGTERM just before MPI ends, as a launcher sends it to
// those that are still there when another rank has ended with an error.
#include <mpi.h>

#include <csignal>

extern "C" int MPI_Finalize() {
  std::raise(SIGTERM);
  return PMPI_Finalize();
}

extern "C" int MPI_Abort(MPI_Comm ranks, int code) {
  std::raise(SIGTERM);
  return PMPI_Abort(ranks, code);
}
