// SPDX-License-Identifier: BSD-3-Clause
//
// Under mpirun, mpiexec or srun a process is one of several ranks. MPI is loaded only then, by a
// library of its own (libkrica_mpi.so, next to the other libraries), so that nobody else pays for
// it or needs it.
#pragma once

#include <memory>

#include "runtime/communicator.hpp"

namespace krica {

/// The ranks of the job; null if there is only one. Throws InvalidArgument if a launcher started
/// several but MPI cannot be used, naming the remedy. Call it once.
std::shared_ptr<Communicator> launched_ranks();

/// All ranks: throws InvalidArgument if they would not get the same bits, since they compute many
/// things alike instead of sending them. If this rank alone fails, by OutOfMemory, the others wait:
/// the caller must end them.
void require_alike(Communicator& ranks);

/// This process's number among those that the launcher started on the same machine; 0 if unknown.
int rank_on_machine();

}  // namespace krica
