// How `skiff bench api` tells what it measured, to people and to scripts.
#pragma once

#include <string>
#include <string_view>

#include "load/api_load.h"

namespace skiff::cli {

struct BenchHeading {
  std::string_view server;
  std::string_view scenario;
  std::string_view kind;
  size_t object_bytes = 0;
  size_t connections = 0;
  size_t streams = 0;
  int64_t pid = 0;  // zero: not known
};

std::string BenchText(const BenchHeading& heading, const load::ApiLoadReport& report);
// One object. Times are in seconds, sizes in bytes.
std::string BenchJson(const BenchHeading& heading, const load::ApiLoadReport& report);

// Requests that failed, watches that were cut off and events that did not arrive.
uint64_t BenchErrors(const load::ApiLoadReport& report);

}  // namespace skiff::cli
