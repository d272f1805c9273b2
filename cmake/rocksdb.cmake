# The target skiff_rocksdb: RocksDB, the engine of the embedded store (decision 0007).
#
# Normal builds link it into the executable: an empty store is then resident in 10.3 MB and open in
# 5 ms, against 13.5 MB with the shared library, which also has to be loaded and relocated.
# Sanitizer builds take the shared library, so that reports about it can be told from ours by its
# name, and it be named to the sanitizer if need be. So far there are none.
find_path(ROCKSDB_INCLUDE rocksdb/db.h REQUIRED)
add_library(skiff_rocksdb INTERFACE)
target_include_directories(skiff_rocksdb SYSTEM INTERFACE ${ROCKSDB_INCLUDE})
if(SKIFF_SANITIZE)
  find_library(ROCKSDB_SHARED rocksdb REQUIRED)
  target_link_libraries(skiff_rocksdb INTERFACE ${ROCKSDB_SHARED})
else()
  set(libraries)
  foreach(name rocksdb lz4 snappy zstd bz2 z gflags)
    string(TOUPPER ROCKSDB_STATIC_${name} variable)
    find_library(${variable} NAMES lib${name}.a ${name} REQUIRED)
    list(APPEND libraries ${${variable}})
  endforeach()
  target_link_libraries(skiff_rocksdb INTERFACE ${libraries} ${CMAKE_DL_LIBS})
  # Its checksum is replaced: src/store/embedded/rocksdb_checksum.cc.
  set(checksum _ZN7rocksdb6crc32c6ExtendEjPKcm)
  target_link_options(skiff_rocksdb INTERFACE LINKER:--wrap=${checksum}
                      LINKER:--undefined=__wrap_${checksum})
endif()
target_link_libraries(skiff_rocksdb INTERFACE Threads::Threads)
