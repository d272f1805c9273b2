# Flags for every target: warnings, sanitizers, the fastest linker and the compiler cache at hand.

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fno-omit-frame-pointer)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  # This clang cannot compile the std::expected of libstdc++ 12; the folder has one that it can.
  add_compile_options(-isystem ${CMAKE_CURRENT_LIST_DIR}/clang14)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 offers std::expected only to compilers that announce C++20's final concepts;
  # clang has them but announces the earlier date.
  add_compile_options(-D__cpp_concepts=202002L -Wno-macro-redefined)
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
