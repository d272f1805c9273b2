# Flags for every target: warnings, sanitizers, the fastest linker and the compiler cache at hand.

<<<<<<< HEAD
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fno-omit-frame-pointer)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 offers std::expected only to compilers that announce C++20's final concepts;
  # clang has them but announces the earlier date.
  add_compile_options(-D__cpp_concepts=202002L -Wno-macro-redefined)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
    # These cannot compile libstdc++'s std::expected even so.
    add_compile_options(-I${CMAKE_SOURCE_DIR}/cmake/clang)
  endif()
=======
if(NOT CMAKE_BUILD_TYPE)  # configured without a preset
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
>>>>>>> h-repo
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
add_compile_options(-fno-omit-frame-pointer)

if(SKIFF_SANITIZE)
  add_compile_options(-fsanitize=${SKIFF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SKIFF_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # instrumented code confuses the analysis
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# clang's sanitizer run-times are linked with lld, their own linker.
find_program(MOLD mold)
find_program(LLD ld.lld)
if(SKIFF_FUZZ AND LLD)
  add_link_options(-fuse-ld=lld)
elseif(MOLD AND NOT SKIFF_FUZZ)
  add_link_options(-fuse-ld=mold)
endif()
