# skiff_library(DEPS a/b c …): the folder that calls it becomes one library, named by its path
# under src with slashes as underscores (src/object/json → skiff_object_json). Its *_test.cc files
# become one test program. DEPS are folders, only ones that src/README.md allows it; tools/tidy
# compares the two. The global property SKIFF_LIBRARIES lists all of them. TEST_LINK
# names what only the tests need besides.
function(skiff_library)
  cmake_parse_arguments(ARG "" "" "DEPS;LINK;TEST_LINK" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name skiff_${folder})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  set(libraries ${ARG_LINK})
  foreach(dep ${ARG_DEPS})
    string(REPLACE "/" "_" dep skiff_${dep})
    list(APPEND libraries ${dep})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} ${scope} ${libraries})
  set_property(GLOBAL APPEND PROPERTY SKIFF_LIBRARIES ${name})
  if(tests AND NOT SKIFF_FUZZ)
    skiff_test(${name}_test SOURCES ${tests} LINK ${name} ${ARG_TEST_LINK})
  endif()
endfunction()

# skiff_test(NAME SOURCES … LINK …): a GoogleTest program that ctest runs as a whole.
function(skiff_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # Tests may decode any built-in kind, so all of them link the generated tables.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} skiff_api GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SKIFF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()
