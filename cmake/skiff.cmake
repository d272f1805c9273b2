# Files are compiled in batches (cmake/batches.py), or one by one with SKIFF_BATCHES=OFF.
option(SKIFF_BATCHES "compile neighbouring files together" ON)
if(SKIFF_BATCHES)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/batches.py
            ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/batches.cmake
    COMMAND_ERROR_IS_FATAL ANY)
  include(${CMAKE_BINARY_DIR}/batches.cmake)
endif()

# skiff_in_batches(TARGET): of what the target has by now, files that have a batch; in this folder.
function(skiff_in_batches target)
  if(NOT SKIFF_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(source ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${SKIFF_BATCH_${path}}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes the files of a batch for headers, whose classes must not use unnamed namespaces.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# skiff_precompiled(TARGET): with SKIFF_PRECOMPILE (clang), the target begins with what most files
# include of the standard library, and GoogleTest, from one precompiled header for all targets. It
# is named by an option that ccache can read, and a checksum of its text beside it says to ccache
# what is in it: the header itself is another one in every checkout.
if(SKIFF_PRECOMPILE)
  set(precompiled ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
  add_library(skiff_precompiled_headers OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(skiff_precompiled_headers PRIVATE GTest::gtest)
  target_precompile_headers(skiff_precompiled_headers PRIVATE ${precompiled})
  set(SKIFF_PRECOMPILED_HEADER
      ${CMAKE_BINARY_DIR}/CMakeFiles/skiff_precompiled_headers.dir/cmake_pch.hxx.pch)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++2b -D__cpp_concepts=202002L -w -E -P
    ${precompiled} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 checksum "${text}")
  file(WRITE ${SKIFF_PRECOMPILED_HEADER}.sum ${checksum})
  # A library orders what is linked with it, not what is compiled for it: a target of a file does.
  set(made ${CMAKE_BINARY_DIR}/precompiled.made)
  add_custom_command(OUTPUT ${made} COMMAND ${CMAKE_COMMAND} -E touch ${made}
    DEPENDS skiff_precompiled_headers $<TARGET_OBJECTS:skiff_precompiled_headers>)
  add_custom_target(skiff_precompiled_made DEPENDS ${made})
endif()
function(skiff_precompiled target)
  if(SKIFF_PRECOMPILE)
    target_compile_options(${target} PRIVATE "SHELL:-include-pch ${SKIFF_PRECOMPILED_HEADER}")
    add_dependencies(${target} skiff_precompiled_made)
  endif()
endfunction()

# skiff_library(DEPS a/b c …): the folder that calls it becomes one library, named by its path
# under src with slashes as underscores (src/object/json → skiff_object_json). Its *_test.cc files
# become one test program. DEPS are the folders that src/README.md names for it; tools/tidy
# compares the two. The global property SKIFF_LIBRARIES lists all of them. TEST_LINK
# names what only the tests need besides. Its fake_*.cc, which tests of other folders use too, are a
# library of their own with _testing behind the name, so that no executable has them. RECURSE: the
# folders below belong to the library too. TEST_KINDS: the tests know the kinds of the registry.
function(skiff_library)
  cmake_parse_arguments(ARG "RECURSE;TEST_KINDS" "" "DEPS;LINK;TEST_LINK" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name skiff_${folder})
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cc)
  endif()
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
    skiff_precompiled(${name})
    skiff_in_batches(${name})
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
    skiff_precompiled(${name}_testing)
    target_link_libraries(${name}_testing PUBLIC ${name})
    list(APPEND ARG_TEST_LINK ${name}_testing)
  endif()
  if(tests AND NOT SKIFF_FUZZ)
    skiff_test(${name}_test SOURCES ${tests} LINK ${name} ${ARG_TEST_LINK})
    if(ARG_TEST_KINDS)
      target_sources(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests/apiserver/kinds_main.cc)
      target_link_libraries(${name}_test PRIVATE skiff_apiserver_registry)
    endif()
  endif()
endfunction()

# skiff_test(NAME SOURCES … LINK …): a GoogleTest program that ctest runs as a whole. RELEASE: it is
# at home in the release build, not in the sanitized one. SLOW: it takes minutes, most of which it
# waits, and `make test` begins with it while others are still compiled.
function(skiff_test name)
  cmake_parse_arguments(ARG "RELEASE;SLOW" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  skiff_in_batches(${name})
  # Tests may decode any built-in kind, so all of them link the generated tables.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} skiff_api GTest::gtest GTest::gtest_main)
  skiff_precompiled(${name})
  target_compile_definitions(${name} PRIVATE SKIFF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SKIFF_SANITIZE MATCHES "address")
    target_compile_definitions(${name} PRIVATE __SANITIZE_ADDRESS__)  # GCC defines it by itself
  endif()
  # What is tested is optimised; to optimise the tests as well takes a third of their compilation.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900)
  if(NOT ARG_RELEASE)
    set(home sanitized)
    foreach(source ${ARG_SOURCES})
      file(STRINGS ${source} asks REGEX "__SANITIZE_ADDRESS__" LIMIT_COUNT 1)
      if(asks)
        set(home both)
      endif()
    endforeach()
    skiff_at_home(${home} ${name} ${name})
  endif()
  if(ARG_SLOW)
    set_target_properties(${name} PROPERTIES SKIFF_SLOW ON)
    set_property(TEST ${name} APPEND PROPERTY LABELS slow)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# Every test is at home in one configuration, where `make test` runs it; `make test-all` runs every
# test in every configuration (decision 0026). A test that calls code of ours is at home in the
# sanitized build, and in both if it asks for sanitizers, since it then shows more without them. All
# others, which start executables or run no code of ours, are at home in the release build. So
# nothing depends on where a test lies.

# skiff_at_home(sanitized|both TARGET TEST…): the home of a program and of its tests, which have it
# as a label. What has none is at home in the release build.
function(skiff_at_home home target)
  set_target_properties(${target} PROPERTIES SKIFF_HOME ${home})
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS ${home})
endfunction()

# The target tests_at_home: the executables, and none but those, that tests at home in this build
# need; and slow_tests_at_home, of these the slow ones. To be called when all of them are known.
function(skiff_tests_at_home)
  if(SKIFF_SANITIZE)
    set(homes sanitized both)
  else()
    set(homes home-NOTFOUND both)
  endif()
  add_custom_target(tests_at_home)
  add_custom_target(slow_tests_at_home)
  set(folders ${CMAKE_SOURCE_DIR})
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      get_target_property(home ${target} SKIFF_HOME)
      get_target_property(slow ${target} SKIFF_SLOW)
      if(type STREQUAL "EXECUTABLE" AND home IN_LIST homes)
        add_dependencies(tests_at_home ${target})
        if(slow)
          add_dependencies(slow_tests_at_home ${target})
        endif()
      endif()
    endforeach()
  endwhile()
endfunction()
