# SPDX-License-Identifier: BSD-3-Clause
add_library(krica_flags INTERFACE)
target_compile_options(krica_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialised members in defaulted aggregates that hold a std::vector.
  target_compile_options(krica_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(KRICA_WARNINGS_AS_ERRORS)
  target_compile_options(krica_flags INTERFACE -Werror)
endif()

if(KRICA_SANITIZE)
  add_compile_options(-fsanitize=${KRICA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KRICA_SANITIZE})
endif()
if(KRICA_BUILD_FUZZERS)
  add_compile_options(-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/coverage_ignored.txt)
endif()

if(KRICA_CLANG_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14 REQUIRED)
  set(KRICA_TIDY_COMMAND ${CLANG_TIDY} --quiet --warnings-as-errors=*)
endif()

# krica_target(NAME): our flags, and clang-tidy where it was asked for.
function(krica_target name)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:krica_flags>)
  if(KRICA_CLANG_TIDY)
    set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "${KRICA_TIDY_COMMAND}")
  endif()
endfunction()

# What nearly every source includes: parsing it once halves the time of a build (docs/decisions/0010-build-time.md).
set(KRICA_COMMON_HEADERS <Eigen/Core> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <memory>
    <optional> <span> <string> <string_view> <utility> <vector>)

# krica_quick_to_build(NAME): for code without loops of its own, where the compiler's time counts more than the program's.
function(krica_quick_to_build name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# krica_in_few_units(NAME): several sources to one run of the compiler. Templates of CLI11, pybind11 and nlohmann-json take most
# of its time, and are then compiled once for all of them. Not for sources with Highway's loops.
function(krica_in_few_units name)
  if((CMAKE_BUILD_TYPE STREQUAL "Release" OR KRICA_SANITIZE) AND NOT KRICA_CLANG_TIDY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
