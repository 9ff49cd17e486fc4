# The CMake package `frenzy`: find_package(frenzy 0.1) from outside. Every frenzy_library is in the
# export set already; here are the files around it.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/frenzy)

# oneDNN is taken where it is; whoever links our archives needs it just as we did.
find_package(dnnl QUIET)
set(FRENZY_NEEDS_DNNL ${dnnl_FOUND})

install(EXPORT frenzyTargets NAMESPACE frenzy:: DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/frenzyConfig.cmake.in ${PROJECT_BINARY_DIR}/frenzyConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/frenzyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/frenzyConfig.cmake ${PROJECT_BINARY_DIR}/frenzyConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindCAF.cmake ${CMAKE_CURRENT_LIST_DIR}/Findsodium.cmake
  DESTINATION ${package_dir})
