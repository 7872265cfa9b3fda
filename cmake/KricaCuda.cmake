# SPDX-License-Identifier: BSD-3-Clause
# KRICA_WITH_CUDA: whether src/device is compiled with nvcc (docs/gpu.md). The kernels are for sm_90a alone, as they are written with
# Hopper's wgmma instructions; there are none for other cards yet.
set(KRICA_CUDA AUTO CACHE STRING
    "Build the CUDA part: ON, OFF, or AUTO (where nvcc is found and tests are built or a driver is there)")
set_property(CACHE KRICA_CUDA PROPERTY STRINGS AUTO ON OFF)
set(KRICA_WITH_CUDA OFF)

set(KRICA_TRY_CUDA ${KRICA_CUDA})
if(KRICA_CUDA STREQUAL "AUTO")
  find_program(KRICA_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(KRICA_NVIDIA_SMI)
  set(KRICA_TRY_CUDA OFF)
  if((KRICA_BUILD_TESTS OR EXISTS /dev/nvidia0 OR KRICA_NVIDIA_SMI) AND NOT KRICA_SANITIZE AND NOT KRICA_CLANG_TIDY)
    set(KRICA_TRY_CUDA ON)
  endif()
endif()

if(KRICA_TRY_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES 90a-real)
  find_program(KRICA_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(KRICA_NVCC)
  if(KRICA_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${KRICA_NVCC})  # it need not be on the PATH
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit)
    if(TARGET CUDA::cudart_static AND TARGET CUDA::cublas
       AND (NOT KRICA_CUDA STREQUAL "AUTO" OR CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0))
      set(KRICA_WITH_CUDA ON)
    endif()
  else()
    unset(CMAKE_CUDA_COMPILER CACHE)  # it may be installed later
  endif()
  if(NOT KRICA_WITH_CUDA AND NOT KRICA_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "KRICA_CUDA=${KRICA_CUDA}, but nvcc with the static CUDA runtime and cuBLAS was not found (docs/gpu.md)")
  endif()
endif()

if(KRICA_WITH_CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it of nvcc 13
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()
message(STATUS "CUDA: ${KRICA_WITH_CUDA} (KRICA_CUDA=${KRICA_CUDA})")
