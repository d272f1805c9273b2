# The target skiff_protobuf: the light run-time of protobuf (decision 0029), and
# skiff_proto_library(NAME PROTOS …): the code that protoc makes of .proto files, as a library.
#
# Static in normal builds. Sanitizer builds take the shared library, so that reports about it can be
# told from ours: it is not instrumented.
find_program(PROTOC protoc REQUIRED)
find_path(PROTOBUF_INCLUDE google/protobuf/message_lite.h REQUIRED)
if(SKIFF_SANITIZE)
  find_library(PROTOBUF_LITE protobuf-lite REQUIRED)
else()
  find_library(PROTOBUF_LITE NAMES libprotobuf-lite.a REQUIRED)
endif()
add_library(skiff_protobuf INTERFACE)
target_include_directories(skiff_protobuf SYSTEM INTERFACE ${PROTOBUF_INCLUDE})
target_link_libraries(skiff_protobuf INTERFACE ${PROTOBUF_LITE} Threads::Threads)

function(skiff_proto_library name)
  cmake_parse_arguments(ARG "" "" "PROTOS" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(sources)
  foreach(proto ${ARG_PROTOS})
    get_filename_component(stem ${proto} NAME_WE)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${proto} DIRECTORY)
    add_custom_command(
      OUTPUT ${out}/${stem}.pb.cc ${out}/${stem}.pb.h
      COMMAND ${PROTOC} -I${folder} --cpp_out=${out} ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      VERBATIM)
    list(APPEND sources ${out}/${stem}.pb.cc)
  endforeach()
  add_library(${name} STATIC ${sources})
  target_compile_options(${name} PRIVATE -w)
  target_include_directories(${name} SYSTEM PUBLIC ${out})
  target_link_libraries(${name} PUBLIC skiff_protobuf)
endfunction()
