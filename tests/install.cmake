# SPDX-License-Identifier: BSD-3-Clause
# Installs the build to a scratch directory, builds the examples against it as another project would, and runs one.
#   cmake -D BUILD=<build directory> -D SOURCE=<source directory> -D SCRATCH=<directory> -P install.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${SCRATCH}/examples -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/examples)
run(${SCRATCH}/examples/learn_basis)
if(NOT output MATCHES "converged")
  message(FATAL_ERROR "the installed example did not converge:\n${output}")
endif()
run(${SCRATCH}/prefix/bin/krica --version)
foreach(text man/man1/krica.1 bash-completion/completions/krica zsh/site-functions/_krica
             fish/vendor_completions.d/krica.fish)
  file(READ ${SCRATCH}/prefix/share/${text} content)
  if(NOT content MATCHES "random")
    message(FATAL_ERROR "share/${text} does not know the methods")
  endif()
endforeach()
