// The objects that a load generator makes: of a wanted size, different in name only, and marked so
// that all of them can be found and removed again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::load {

enum class LoadKind : uint8_t { kConfigMap, kPod };

// The label that every object carries; its value is the name of the run.
inline constexpr std::string_view kLoadLabel = "skiff-bench-run";

// "/api/v1/namespaces/NS/configmaps"
std::string CollectionPath(LoadKind kind, std::string_view name_space);
// The same of "GROUP/VERSION/RESOURCE": "/apis/GROUP/VERSION/namespaces/NS/RESOURCE"; empty: it is
// none.
std::string CollectionPath(std::string_view resource, std::string_view name_space);
// "bench-0000000042"
std::string LoadObjectName(uint64_t number);
// The number of such a name in the first `"name":"…"` of a text; false when there is none.
bool FindLoadNumber(std::string_view json, uint64_t& number);

// Makes the JSON of objects. A pod has two containers with probes and environment, an owner and
// managedFields that list all of it, which together make up its size; no scheduler takes it.
class LoadObjects {
 public:
  // `bytes` is met as well as whole entries allow.
  LoadObjects(LoadKind kind, std::string name_space, std::string run, size_t bytes);

  // Of a text with placeholders instead: ${name}, ${namespace} and ${run}, which must be there, the
  // last as the value of kLoadLabel, and ${generation}. `collection` is where they are made.
  static Result<LoadObjects> OfTemplate(std::string collection, std::string name_space,
                                        std::string run, std::string_view text);

  // `generation` tells updates of one object apart.
  std::string Json(uint64_t number, uint64_t generation) const;
  const std::string& collection() const { return collection_; }
  std::string Path(uint64_t number) const { return collection_ + "/" + LoadObjectName(number); }

 private:
  // A piece of text, or what a placeholder stands for.
  struct Piece {
    enum class Kind : uint8_t { kText, kName, kGeneration } kind = Kind::kText;
    std::string text = {};
  };
  explicit LoadObjects(std::string collection) : collection_(std::move(collection)) {}
  Result<void> Parse(std::string_view text, const std::string& name_space, const std::string& run);

  std::string collection_;
  std::vector<Piece> pieces_;
};

}  // namespace skiff::load
