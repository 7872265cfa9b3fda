# SPDX-License-Identifier: BSD-3-Clause
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
# Not for vectors whose length is known at run time only: the register tiles are arrays of vectors.
target_compile_definitions(PkgConfig::HWY
                           INTERFACE HWY_DISABLED_TARGETS=\(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV\))

# Counter-based random numbers; headers only.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

# A BLAS and LAPACK of our own, linked statically, hidden, and held to one thread in each call
# (docs/decisions/0002-blas.md). It must be safe to call from several threads at once; Debian's
# serial variant is not.
find_library(KRICA_OPENBLAS_LIBRARY NAMES libopenblas.a
             PATH_SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread REQUIRED
             DOC "OpenBLAS with pthreads (Debian: libopenblas-pthread-dev)")
find_path(KRICA_OPENBLAS_INCLUDE_DIR cblas.h
          PATH_SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread
          ${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED)
add_library(krica_blas INTERFACE)
target_include_directories(krica_blas SYSTEM INTERFACE ${KRICA_OPENBLAS_INCLUDE_DIR})
target_link_libraries(krica_blas INTERFACE ${KRICA_OPENBLAS_LIBRARY} gfortran m pthread)

# Debian's Python, whatever comes first on the PATH: NumPy and scikit-learn are installed for that one.
find_program(KRICA_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)

# Image codecs, archives and downloads: for src/data alone.
find_package(CURL 7.85 REQUIRED)
find_package(JPEG REQUIRED)
find_package(LibArchive REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(WEBP IMPORTED_TARGET libwebp)  # optional, as TIFF: without it such files are skipped
pkg_check_modules(TIFF IMPORTED_TARGET libtiff-4>=4.5)
