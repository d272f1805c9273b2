// Objects as a cluster has them, for the figures: the templates in bench/data with names,
// addresses, digests and times filled in from a seed, so that no two are alike and every run sees
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "object/descriptor.h"

namespace skiff::bench {

struct Sample {
  std::string json;      // compact, as clients send it
  std::string protobuf;  // the message, without the envelope
};

struct Samples {
  const object::MessageDesc* type = nullptr;
  std::string_view api_version;
  std::string_view kind;
  std::vector<Sample> all;
  size_t json_bytes = 0;  // of all of them together
  size_t protobuf_bytes = 0;
};

// `count` objects made from bench/data/<file>.json. Ends the program when that is no good.
Samples MakeSamples(std::string_view file, size_t count, uint64_t seed = 1);

// What most figures are about. Together they are larger than the inner caches, as the objects of a
// long list are. Made once.
const Samples& Pods();

}  // namespace skiff::bench
