# SPDX-License-Identifier: BSD-3-Clause
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)

# Counter-based random numbers; headers only.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

# A serial, thread-safe BLAS and LAPACK of our own, linked statically and hidden
# (docs/decisions/0002-blas.md). Another one may be given, as long as it is single-threaded and may
# be called from several threads.
find_library(KRICA_BLAS_LIBRARY NAMES libopenblas.a
             PATH_SUFFIXES openblas-serial ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial REQUIRED
             DOC "Serial OpenBLAS (Debian: libopenblas-serial-dev)")
find_path(KRICA_BLAS_INCLUDE_DIR cblas.h
          PATH_SUFFIXES openblas-serial ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
          ${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED)
add_library(krica_blas INTERFACE)
target_include_directories(krica_blas SYSTEM INTERFACE ${KRICA_BLAS_INCLUDE_DIR})
target_link_libraries(krica_blas INTERFACE ${KRICA_BLAS_LIBRARY} gfortran m pthread)

# Image codecs, archives and downloads: for src/data alone.
find_package(CURL 7.85 REQUIRED)
find_package(JPEG REQUIRED)
find_package(LibArchive REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
