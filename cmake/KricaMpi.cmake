# SPDX-License-Identifier: BSD-3-Clause
# KRICA_WITH_MPI: whether libkrica_mpi is built (docs/cluster.md).
set(KRICA_MPI AUTO CACHE STRING "Build the MPI part: ON, OFF, or AUTO (where MPI is found)")
set_property(CACHE KRICA_MPI PROPERTY STRINGS AUTO ON OFF)
set(KRICA_WITH_MPI OFF)
if(KRICA_MPI)
  find_package(MPI COMPONENTS C)
  set(KRICA_WITH_MPI ${MPI_C_FOUND})
  if(NOT MPI_C_FOUND AND NOT KRICA_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "KRICA_MPI=${KRICA_MPI}, but no MPI was found (Debian: libopenmpi-dev)")
  endif()
endif()
message(STATUS "MPI: ${KRICA_WITH_MPI} (KRICA_MPI=${KRICA_MPI})")
