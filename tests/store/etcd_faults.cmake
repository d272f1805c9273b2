# Real etcd members, networks that can be split, and servers and stores that misbehave when told:
# for all tests that need an etcd.
add_library(store_etcd_harness STATIC
  child_process.cc etcd_cluster.cc fault_scene.cc faulty_proxy.cc http_get.cc scripted_etcd.cc
  split_network.cc store_load.cc tampering_store.cc temporary_directory.cc watch_checker.cc)
target_link_libraries(store_etcd_harness PUBLIC skiff_store skiff_test_store etcd_protos)
target_include_directories(store_etcd_harness PUBLIC ${CMAKE_SOURCE_DIR})
