# frenzy_test(name [TSAN] SOURCES files LINK libs [TIMEOUT seconds])
# One Catch2 binary. Each test case is a ctest entry of its own. frenzy_test_main holds the only main.
# A test's one label is its binary's name, or `tsan`: also built and run under the thread sanitizer
# (our own threads, without CAF).
if(FRENZY_TESTS)
  add_custom_target(tsan_tests)
endif()

function(frenzy_test name)
  cmake_parse_arguments(A "TSAN" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  if(FRENZY_SANITIZE)
    math(EXPR A_TIMEOUT "${A_TIMEOUT} * 4")
  endif()
  add_executable(test_${name} ${A_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${A_LINK} frenzy_test_main frenzy_options)
  set(label ${name})
  if(A_TSAN)
    set(label tsan)
    add_dependencies(tsan_tests test_${name})
  endif()
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS ${label})
endfunction()
