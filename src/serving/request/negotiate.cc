#include "serving/request/negotiate.h"

#include <string>

namespace skiff::serving {
namespace {

std::optional<Conversion> ConversionOf(const MediaRange& range) {
  std::optional<Conversion> conversion;
  const auto part = [&]() -> Conversion& {
    return conversion ? *conversion : conversion.emplace();
  };
  for (const auto& [name, value] : range.parameters) {
    if (name == "as") part().kind = value;
    if (name == "g") part().group = value;
    if (name == "v") part().version = value;
  }
  return conversion;
}

// Streams are of watches only, and no endpoint answers in a version of the server.
bool OptionsAllowed(const MediaRange& range) {
  const std::string_view stream = range.Parameter("stream");
  return (stream.empty() || stream == "watch") && range.Parameter("sv").empty();
}

// As strconv.ParseBool, but for what is no boolean, which is false.
bool IsTrue(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" ||
         text == "True";
}

}  // namespace

std::optional<Negotiated> Negotiate(std::string_view accept,
                                    std::span<const std::string_view> offers,
                                    const std::function<bool(const Conversion*)>& allows) {
  if (accept.empty()) return Negotiated{offers.front(), std::nullopt};
  for (const MediaRange& range : ParseAccept(accept)) {
    for (const std::string_view offer : offers) {
      if (!range.Covers(offer) || !OptionsAllowed(range)) continue;
      const std::optional<Conversion> conversion = ConversionOf(range);
      if (!allows(conversion ? &*conversion : nullptr)) continue;
      return Negotiated{offer, conversion, range.Parameter("pretty") == "1"};
    }
  }
  return std::nullopt;
}

Status NotAcceptable(std::span<const std::string_view> offers) {
  std::string message = "only the following media types are accepted: ";
  for (size_t i = 0; i < offers.size(); ++i) {
    if (i != 0) message += ", ";
    message += offers[i];
  }
  return {StatusReason::kNotAcceptable, std::move(message)};
}

bool WantsPretty(std::string_view query, std::string_view user_agent) {
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view parameter = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (!parameter.starts_with("pretty=")) continue;
    const std::string_view value = parameter.substr(7);
    if (!value.empty()) return IsTrue(value);
    break;
  }
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

}  // namespace skiff::serving
