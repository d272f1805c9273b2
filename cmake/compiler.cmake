# Flags for every target: warnings, sanitizers, the fastest linker and the compiler cache at hand.

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fno-omit-frame-pointer)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 offers std::expected only to compilers that announce C++20's final concepts. Clang
  # announces an earlier date: rightly so before 16, which lacks destructors with constraints and
  # gets a std::expected that does without.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
    add_compile_options(-I${CMAKE_SOURCE_DIR}/cmake/clang)
  else()
    add_compile_options(-D__cpp_concepts=202002L -Wno-macro-redefined)
  endif()
endif()

if(SKIFF_SANITIZE)
  add_compile_options(-fsanitize=${SKIFF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SKIFF_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD AND NOT SKIFF_FUZZ)
  add_link_options(-fuse-ld=mold)
endif()
