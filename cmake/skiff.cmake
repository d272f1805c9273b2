# Files are compiled in batches (cmake/batches.py), or one by one with SKIFF_BATCHES=OFF.
option(SKIFF_BATCHES "compile neighbouring files together" ON)
if(SKIFF_BATCHES)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/batches.py
            ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/batches.cmake
    COMMAND_ERROR_IS_FATAL ANY)
  include(${CMAKE_BINARY_DIR}/batches.cmake)
endif()

# skiff_in_batches(TARGET SOURCE…): the sources are all that the target has, in this folder.
function(skiff_in_batches target)
  if(NOT SKIFF_BATCHES)
    return()
  endif()
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${SKIFF_BATCH_${path}}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes the files of a batch for headers, whose classes must not use unnamed namespaces.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# skiff_library(DEPS a/b c …): the folder that calls it becomes one library, named by its path
# under src with slashes as underscores (src/object/json → skiff_object_json). Its *_test.cc files
# become one test program. DEPS are the folders that src/README.md names for it; tools/tidy
# compares the two. The global property SKIFF_LIBRARIES lists all of them. TEST_LINK
# names what only the tests need besides. Its fake_*.cc, which tests of other folders use too, are a
# library of their own with _testing behind the name, so that no executable has them.
function(skiff_library)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK;TEST_LINK" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name skiff_${folder})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(fakes ${sources})
  list(FILTER fakes INCLUDE REGEX "/fake_[a-z_]+\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/fake_[a-z_]+\\.cc$")

  set(libraries ${ARG_LINK})
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep skiff_${dep})
    list(APPEND libraries ${dep})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    skiff_in_batches(${name} ${sources})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} ${scope} ${libraries})
  set_property(GLOBAL APPEND PROPERTY SKIFF_LIBRARIES ${name})
  if(fakes AND NOT SKIFF_FUZZ)
    add_library(${name}_testing STATIC ${fakes})
    target_link_libraries(${name}_testing PUBLIC ${name})
    list(APPEND ARG_TEST_LINK ${name}_testing)
  endif()
  if(tests AND NOT SKIFF_FUZZ)
    skiff_test(${name}_test SOURCES ${tests} LINK ${name} ${ARG_TEST_LINK})
    skiff_in_batches(${name}_test ${tests})
  endif()
endfunction()

# skiff_test(NAME SOURCES … LINK …): a GoogleTest program that ctest runs as a whole.
function(skiff_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # Tests may decode any built-in kind, so all of them link the generated tables.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} skiff_api GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SKIFF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # What is tested is optimised; to optimise the tests as well takes a third of their compilation.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900)
endfunction()
