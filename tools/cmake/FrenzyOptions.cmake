# frenzy_options: flags of our own targets. BUILD_INTERFACE keeps it out of the package.
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Threads REQUIRED)

find_program(FRENZY_CCACHE ccache)
if(FRENZY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FRENZY_CCACHE})
endif()

add_library(frenzy_options INTERFACE)
target_compile_options(frenzy_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${FRENZY_WERROR}>:-Werror>)

# lld where it is: links in a third of the time. Not mold: version 1.10 places RELRO so that some
# binaries do not start ("cannot apply additional memory protection").
find_program(FRENZY_LLD ld.lld)
if(FRENZY_LLD)
  add_link_options(-fuse-ld=lld)
endif()
if(FRENZY_SANITIZE)
  add_compile_options(-fsanitize=${FRENZY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FRENZY_SANITIZE})
endif()
# libFuzzer is blind to code without its counters, so the libraries have them too.
if(FRENZY_FUZZ)
  target_compile_options(frenzy_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(frenzy_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
