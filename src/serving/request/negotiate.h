// Which of the media types that an endpoint offers answers a request.
//
// The ranges of the Accept header are tried in their order of preference, each against the offers
// in theirs. Parameters as, g and v ask for another kind than the endpoint's own; the endpoint says
// whether it has it, and a range that asks for what it has not is passed over.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "serving/request/accept.h"

namespace skiff::serving {

inline constexpr std::string_view kJsonMediaType = "application/json";
inline constexpr std::string_view kYamlMediaType = "application/yaml";
inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";
// What every endpoint that answers with objects offers.
inline constexpr std::string_view kObjectMediaTypes[] = {kJsonMediaType, kYamlMediaType,
                                                         kProtobufMediaType};

// The kind that a range asks for: "application/json;as=Table;v=v1;g=meta.k8s.io".
struct Conversion {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
};

struct Negotiated {
  std::string_view media_type;           // one of the offers
  std::optional<Conversion> conversion;  // into the Accept header
  bool pretty = false;                   // the range has pretty=1
};

// `allows` is given null for a range that asks for no other kind.
std::optional<Negotiated> Negotiate(std::string_view accept,
                                    std::span<const std::string_view> offers,
                                    const std::function<bool(const Conversion*)>& allows);

// 406, with the offers in its message.
Status NotAcceptable(std::span<const std::string_view> offers);

// Whether an answer is spread over lines: the query says so (`pretty=true`), or else the client is
// one that people read from.
bool WantsPretty(std::string_view query, std::string_view user_agent);

}  // namespace skiff::serving
