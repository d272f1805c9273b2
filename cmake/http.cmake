# The target skiff_http_libraries: OpenSSL (TLS), nghttp2 (HTTP/2) and zlib (gzip), decision 0009.
#
# Static in normal builds, shared under sanitizers, as CMakeLists.txt finds OpenSSL: a process can
# have only one of it.
find_path(NGHTTP2_INCLUDE nghttp2/nghttp2.h REQUIRED)
find_path(OPENSSL_INCLUDE openssl/ssl.h REQUIRED)
add_library(skiff_http_libraries INTERFACE)
target_include_directories(skiff_http_libraries SYSTEM INTERFACE
  ${NGHTTP2_INCLUDE} ${OPENSSL_INCLUDE})
foreach(name nghttp2 ssl crypto z)
  string(TOUPPER HTTP_${name} variable)
  if(SKIFF_SANITIZE)
    find_library(${variable} ${name} REQUIRED)
  else()
    find_library(${variable} NAMES lib${name}.a REQUIRED)
  endif()
  target_link_libraries(skiff_http_libraries INTERFACE ${${variable}})
endforeach()
target_link_libraries(skiff_http_libraries INTERFACE ${CMAKE_DL_LIBS} Threads::Threads)
