# Flags for every target: warnings, sanitizers, the fastest linker and the compiler cache at hand.

if(NOT CMAKE_BUILD_TYPE)  # configured without a preset
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
add_compile_options(-fno-omit-frame-pointer)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 offers std::expected only to compilers that announce C++20's final concepts;
  # clang 16 has them but announces an earlier date.
  add_compile_options(-D__cpp_concepts=202002L -Wno-builtin-macro-redefined -Wno-macro-redefined)
endif()

if(SKIFF_SANITIZE)
  add_compile_options(-fsanitize=${SKIFF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SKIFF_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # instrumented code confuses the analysis
  endif()
endif()

# Objects are the same wherever a checkout lies, so that the compiler cache hits across checkouts:
# paths below the checkout are cached, and written into debug information, relative to it.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  if(SKIFF_PRECOMPILE)  # cmake/skiff.cmake has the checksum
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER
         CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1)
  endif()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# clang's sanitizer run-times are linked with lld, their own linker.
find_program(MOLD mold)
find_program(LLD NAMES ld.lld-16 ld.lld)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND SKIFF_SANITIZE AND LLD)
  add_link_options(-fuse-ld=lld)
elseif(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
