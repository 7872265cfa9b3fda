# SPDX-License-Identifier: BSD-3-Clause
# Another CMake project says find_package(krica) and links krica::krica. The command, its manual page and completions are
# in tools/krica. The Python package is not installed here but by pip (setup.py), which knows where Python looks for it.
include(CMakePackageConfigHelpers)
set(KRICA_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/krica)

install(TARGETS krica krica_data EXPORT krica-targets)
install(DIRECTORY include/krica DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT krica-targets NAMESPACE krica:: DESTINATION ${KRICA_CONFIG_DIR})
configure_package_config_file(cmake/krica-config.cmake.in krica-config.cmake
                              INSTALL_DESTINATION ${KRICA_CONFIG_DIR})
write_basic_package_version_file(krica-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/krica-config.cmake ${PROJECT_BINARY_DIR}/krica-config-version.cmake
        DESTINATION ${KRICA_CONFIG_DIR})
