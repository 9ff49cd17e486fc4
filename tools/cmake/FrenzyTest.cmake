# frenzy_test(name [SOURCES files] [LINK libs] [LABELS labels] [TIMEOUT seconds])
# One Catch2 binary. Each test case is a ctest entry of its own. frenzy_test_main holds the only main.
function(frenzy_test name)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  add_executable(test_${name} ${A_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${A_LINK} frenzy_test_main frenzy_options)
  list(APPEND A_LABELS ${name})
  string(REPLACE ";" "\\;" labels "${A_LABELS}")
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS ${labels})
endfunction()
