# SPDX-License-Identifier: BSD-3-Clause
# Installs what ./run builds, moves the installation, and uses it as a user would: the command, its manual page and
# completions, and the examples as another CMake project that says find_package(krica).
#   cmake -D BUILD=<build directory> -D SOURCE=<source directory> -D SCRATCH=<directory> [-D FRESH=ON] -P install.cmake
# With FRESH a build directory of its own is configured and built exactly as ./run does; quick only with a warm ccache.
set(RUN_TARGETS krica_tool krica_python)  # as in ./run

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}' in:\n${output}")
  endif()
endfunction()

file(STRINGS ${SOURCE}/run lines REGEX "--target")
if(NOT lines MATCHES "--target krica_tool krica_python$")
  message(FATAL_ERROR "./run builds other targets than this test: ${lines}")
endif()
file(REMOVE_RECURSE ${SCRATCH})

if(FRESH)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DKRICA_BUILD_TESTS=OFF
      -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target ${RUN_TARGETS})
  set(BUILD ${SCRATCH}/build)
else()
  # This build directory may hold more than ./run leaves: what is installed must be part of those targets.
  find_program(NINJA ninja REQUIRED)
  run(${NINJA} -C ${BUILD} -t commands ${RUN_TARGETS})
  foreach(part "krica_tool.dir" "/krica\\.1" "completion fish" "libkrica_data")
    expect("${part}")
  endforeach()
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/prefix)  # nothing in it may name the place where it was installed
set(ENV{LD_LIBRARY_PATH})
set(krica ${SCRATCH}/prefix/bin/krica)
run(${krica} --version)
expect("^krica [0-9]+\\.[0-9]+")
run(${krica} train embedded -o ${SCRATCH}/small.krica --components 16 --patches 1000 --images 200 --iterations 3
    --svm-c 0.05 --method random-patches --quiet)
expect("test accuracy")
run(${krica} info ${SCRATCH}/small.krica)
expect("components")
foreach(text man/man1/krica.1 bash-completion/completions/krica zsh/site-functions/_krica
             fish/vendor_completions.d/krica.fish)
  file(READ ${SCRATCH}/prefix/share/${text} content)
  if(NOT content MATCHES "random")
    message(FATAL_ERROR "share/${text} does not list the methods")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${SCRATCH}/examples -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/examples)
run(${SCRATCH}/examples/learn_basis)
expect("converged")
run(${SCRATCH}/examples/train_classifier embedded ${SCRATCH}/example.krica)
expect("10 classes, .* accuracy 0\\.8")

# What the libraries offer: at most thirty headers that include nothing private, no internals and no BLAS.
file(GLOB_RECURSE headers ${SCRATCH}/prefix/include/krica/*.hpp)
list(LENGTH headers count)
if(count GREATER 30)
  message(FATAL_ERROR "${count} public headers, at most 30 are wanted")
endif()
foreach(header ${headers})
  file(STRINGS ${header} private REGEX "^#include \"")
  list(FILTER private EXCLUDE REGEX "\"krica/")
  if(private)
    message(FATAL_ERROR "${header} includes a private header: ${private}")
  endif()
endforeach()
run(nm -DC --defined-only ${SCRATCH}/prefix/lib/libkrica.so)
expect("krica::train\\(")
if(output MATCHES "cblas_|krica::blas::|krica::ordered_reduce|krica::ThreadPool")
  message(FATAL_ERROR "libkrica exports ${CMAKE_MATCH_0}")
endif()
