# The target skiff_grpcpp: grpc++ with the light run-time of protobuf (decision 0008), and
# skiff_proto_library(NAME PROTOS …): the code that protoc makes of .proto files, as a library.
#
# Normal builds link grpc++ into the executable: a process that does not use it then starts in 2 ms
# instead of 8. Sanitizer builds take the shared libraries, so that reports about them can be told
# from ours: they are not instrumented.
find_program(PROTOC protoc REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
find_path(GRPC_INCLUDE grpcpp/grpcpp.h REQUIRED)
add_library(skiff_grpcpp INTERFACE)
target_include_directories(skiff_grpcpp SYSTEM INTERFACE ${GRPC_INCLUDE})
# Descriptors and reflection stay out: nothing here needs them.
target_compile_definitions(skiff_grpcpp INTERFACE GRPC_USE_PROTO_LITE)
if(SKIFF_SANITIZE)
  foreach(name grpc++ grpc gpr protobuf-lite absl_synchronization)
    string(TOUPPER GRPC_SHARED_${name} variable)
    find_library(${variable} ${name} REQUIRED)
    target_link_libraries(skiff_grpcpp INTERFACE ${${variable}})
  endforeach()
else()
  set(libraries)
  foreach(name grpc++ grpc gpr address_sorting upb re2 cares ssl crypto z protobuf-lite)
    string(TOUPPER GRPC_STATIC_${name} variable)
    find_library(${variable} NAMES lib${name}.a REQUIRED)
    list(APPEND libraries ${${variable}})
  endforeach()
  get_filename_component(folder ${GRPC_STATIC_GRPC} DIRECTORY)
  file(GLOB abseil ${folder}/libabsl_*.a)
  list(APPEND libraries ${abseil})
  list(JOIN libraries "," libraries)
  target_link_libraries(skiff_grpcpp INTERFACE "$<LINK_GROUP:RESCAN,${libraries}>"
    ${CMAKE_DL_LIBS} rt)
endif()
target_link_libraries(skiff_grpcpp INTERFACE Threads::Threads)

function(skiff_proto_library name)
  cmake_parse_arguments(ARG "" "" "PROTOS" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(sources)
  foreach(proto ${ARG_PROTOS})
    get_filename_component(stem ${proto} NAME_WE)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${proto} DIRECTORY)
    set(made ${out}/${stem}.pb.cc ${out}/${stem}.grpc.pb.cc)
    add_custom_command(
      OUTPUT ${made} ${out}/${stem}.pb.h ${out}/${stem}.grpc.pb.h
      COMMAND ${PROTOC} -I${folder} --cpp_out=${out} --grpc_out=${out}
              --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      VERBATIM)
    list(APPEND sources ${made})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_compile_options(${name} PRIVATE -w)
  target_include_directories(${name} SYSTEM PUBLIC ${out})
  target_link_libraries(${name} PUBLIC skiff_grpcpp)
endfunction()
