// The query of a URL, decoded: names and values in the order in which they came.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::serving {

// %XX becomes its byte; nothing when an escape is broken. `plus_is_space` as in queries.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

class QueryParameters {
 public:
  QueryParameters() = default;
  // kBadRequest for broken escapes and for more parameters than limits::kMaxQueryParameters.
  static Result<QueryParameters> Parse(std::string_view query);

  // For requests that have no URL.
  void Add(std::string_view name, std::string value) {
    parameters_.push_back({std::string(name), std::move(value)});
  }

  // The first of that name; null when there is none.
  const std::string* Find(std::string_view name) const;
  // "" when there is none.
  std::string_view Get(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;
  // As Go writes a query: by name, everything that could mean something else escaped.
  std::string Encode() const;

  // As Kubernetes reads booleans in queries: absent is false, "false" and "0" are false, anything
  // else, and a name without a value, is true.
  bool IsTrue(std::string_view name) const;
  std::optional<bool> OptionalBool(std::string_view name) const;
  // Nothing when absent; kBadRequest, in the words of Kubernetes, when it is no whole number of 64
  // bits.
  Result<std::optional<int64_t>> OptionalInt(std::string_view name) const;

 private:
  struct Parameter {
    std::string name;
    std::string value;
  };
  std::vector<Parameter> parameters_;
};

}  // namespace skiff::serving
