// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/launcher.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "krica/runtime/library.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr const char* kLibrary = "libkrica_mpi.so";

/// The number in an environment variable; 0 if there is none.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// How many processes the launcher started: Open MPI, MPICH and Intel MPI, srun.
int launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int size = number_in(variable); size > 0) return size;
  }
  const int tasks = number_in("SLURM_STEP_NUM_TASKS");
  if (tasks <= 1) return 1;
  const bool has_rank = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  require(has_rank, "mpi",
          "srun started {} tasks without MPI; use srun --mpi=pmix, or one task (-n 1)", tasks);
  return tasks;
}

/// Where the object with this function is: the command, or the library.
std::filesystem::path own_directory() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&launched_ranks), &info) == 0) return {};
  std::error_code unknown;
  return std::filesystem::canonical(info.dli_fname, unknown).parent_path();
}

void* open_library() {
  const std::filesystem::path here = own_directory();
  for (const auto& directory :
       {here, here.parent_path() / "lib", here.parent_path() / KRICA_LIBDIR}) {
    // Open MPI looks for its own symbols among the global ones.
    if (void* library = ::dlopen((directory / kLibrary).c_str(), RTLD_NOW | RTLD_GLOBAL))
      return library;
  }
  return nullptr;
}

/// What the last bits of a result depend on.
std::string computes_like() {
  blas::set_up();
  return fmt::format("krica {}, {}, {:x}", version(), openblas_get_corename(),
                     hwy::SupportedTargets());
}

}  // namespace

void require_alike(Communicator& ranks) {
  using Text = std::array<char, 64>;
  std::vector<Text> texts(static_cast<std::size_t>(ranks.size()));
  const std::string own = computes_like();
  std::copy_n(own.begin(), std::min(own.size(), Text{}.size() - 1),
              texts[static_cast<std::size_t>(ranks.rank())].begin());
  ranks.all_gather(texts.data(), std::vector<std::size_t>(texts.size(), sizeof(Text)));
  for (std::size_t r = 1; r < texts.size(); ++r) {
    require(texts[r] == texts[0], "mpi",
            "process {} ({}) would compute other bits than process 0 ({}): use machines with "
            "processors of one kind and one version of krica",
            r, texts[r].data(), texts[0].data());
  }
}

int rank_on_machine() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (std::getenv(variable) != nullptr) return number_in(variable);
  }
  return 0;
}

std::shared_ptr<Communicator> launched_ranks() {
  const int processes = launched();
  if (processes <= 1) return nullptr;
  void* const library = open_library();
  require(library != nullptr, "mpi",
          "{} processes were started, but this krica cannot use MPI: {}; build it with "
          "-DKRICA_MPI=ON, or start one process",
          processes, ::dlerror());
  using Make = Communicator* (*)();
  const auto make = reinterpret_cast<Make>(::dlsym(library, "krica_mpi_communicator"));
  require(make != nullptr, "mpi", "{} is of another version", kLibrary);
  // Never destroyed before the process ends: MPI must not be used after static destructors ran.
  std::shared_ptr<Communicator> ranks(make());
  require(ranks->size() == processes, "mpi",
          "{} processes were started, but MPI knows {}: mpirun and the MPI library that krica was "
          "built with are of different kinds",
          processes, ranks->size());
  return ranks;
}

}  // namespace krica
