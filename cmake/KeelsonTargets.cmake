# One folder, one library: keelson_library(storage SRCS ... DEPS keelson_api ...).
# Its unit tests: keelson_test(storage_test SRCS ... DEPS keelson_storage).
# A fuzz target: keelson_fuzz(json_fuzz SRCS ... DEPS keelson_api), built with KEELSON_FUZZ by `fuzzers`.
#
# Several sources are compiled as one (docs/design/0120-quick-builds.md), so names in them are the
# whole library's: an anonymous namespace hides from other libraries only.
option(KEELSON_UNITY "compile several sources of a target at once; OFF for tools that look at single files" ON)
set(KEELSON_UNITY_BATCH 12 CACHE STRING "how many sources at most")

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)

# Compiles the sources that `target` has at the end of its folder, those of folders below included, in as few
# batches as KEELSON_UNITY_BATCH allows, of about the same size.
function(keelson_unity target)
  if(KEELSON_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL keelson_set_batches ${target})")
  endif()
endfunction()

function(keelson_set_batches target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${KEELSON_UNITY_BATCH} - 1) / ${KEELSON_UNITY_BATCH}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

function(keelson_library name)
  cmake_parse_arguments(A "" "" "SRCS;DEPS" ${ARGN})
  add_library(keelson_${name} STATIC ${A_SRCS})
  target_include_directories(keelson_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(keelson_${name} PUBLIC ${A_DEPS} Threads::Threads)
  keelson_unity(keelson_${name})
  if(KEELSON_FUZZ)
    target_compile_options(keelson_${name} PRIVATE -fsanitize=fuzzer-no-link,address)
  endif()
endfunction()

function(keelson_test name)
  cmake_parse_arguments(A "" "TIMEOUT" "SRCS;DEPS" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  add_executable(${name} ${A_SRCS})
  target_link_libraries(${name} PRIVATE ${A_DEPS} GTest::gmock GTest::gtest_main)
  keelson_unity(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${A_TIMEOUT})
endfunction()

function(keelson_fuzz name)
  if(NOT KEELSON_FUZZ)
    return()
  endif()
  cmake_parse_arguments(A "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${A_SRCS})
  target_link_libraries(${name} PRIVATE ${A_DEPS})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
endfunction()
