#include "serving/zpages.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "serving/request/accept.h"
#include "serving/request/json_writer.h"
#include "serving/request/negotiate.h"
#include "serving/request/respond.h"

namespace skiff::serving {
namespace {

constexpr std::string_view kGroup = "config.k8s.io";
constexpr std::string_view kTextMediaType = "text/plain";
constexpr std::array<std::string_view, 3> kOffers = {kJsonMediaType, kYamlMediaType,
                                                     kTextMediaType};
constexpr std::string_view kVersion = "1.36.4";
constexpr std::string_view kEmulated = "1.36";
// Nothing here is of Go.
constexpr std::string_view kGoVersion = "none";
constexpr std::string_view kNote =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

// What is there for the API and not for finding faults.
constexpr std::array<std::string_view, 5> kNotTold = {"/.well-known", "/api", "/apis", "/openapi",
                                                      "/openid"};

std::vector<std::string> FirstParts(const std::vector<std::string>& paths) {
  std::set<std::string> parts;
  for (const std::string& path : paths) {
    if (path.size() < 2) continue;
    std::string part = path.substr(0, std::min(path.find('/', 1), path.size()));
    if (std::ranges::find(kNotTold, part) == kNotTold.end()) parts.insert(std::move(part));
  }
  return {parts.begin(), parts.end()};
}

// "Mon Jan  2 15:04:05 UTC 2006", as `date` has it.
std::string DateText(object::Timestamp time) {
  constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds at{std::chrono::seconds(time.seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  const auto two = [](int64_t value, char fill) {
    std::string text = std::to_string(value);
    return text.size() < 2 ? fill + text : text;
  };
  std::string text(kDays[std::chrono::weekday(day).c_encoding()]);
  text += " " + std::string(kMonths[static_cast<unsigned>(date.month()) - 1]) + " ";
  text += two(static_cast<unsigned>(date.day()), ' ') + " " + two(clock.hours().count(), '0') + ":";
  text += two(clock.minutes().count(), '0') + ":" + two(clock.seconds().count(), '0') + " UTC ";
  return text + std::to_string(static_cast<int>(date.year()));
}

struct Wanted {
  std::string_view media_type;
  std::string_view version;  // of an object
  bool pretty = false;
};

// Objects are for those who name them, and text for all others who take it.
std::optional<Wanted> Choose(std::string_view accept, std::string_view kind) {
  if (accept.find_first_not_of(" \t") == std::string_view::npos) return Wanted{kTextMediaType, {}};
  for (const MediaRange& range : ParseAccept(accept)) {
    const std::string_view version = range.Parameter("v");
    const bool asks =
        !range.Parameter("as").empty() || !range.Parameter("g").empty() || !version.empty();
    const bool knows = range.Parameter("as") == kind && range.Parameter("g") == kGroup &&
                       (version == "v1alpha1" || version == "v1beta1");
    for (const std::string_view offer : kOffers) {
      if (!range.Covers(offer)) continue;
      if (offer == kTextMediaType ? !asks : knows) {
        return Wanted{offer, version, range.Parameter("pretty") == "1"};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

ZPages::ZPages(Options options, Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      started_(clock.Monotonic()),
      began_(
          object::MakeTimestamp(std::chrono::floor<std::chrono::seconds>(clock.Wall()).count(), 0)),
      told_([this] {
        std::vector<std::string> paths = options_.served;
        if (options_.flags) paths.emplace_back("/flagz");
        return FirstParts(paths);
      }()) {}

std::vector<std::string> ZPages::Paths() const {
  std::vector<std::string> paths;
  if (options_.flags) paths.emplace_back("/flagz");
  if (options_.status) paths.emplace_back("/statusz");
  return paths;
}

int64_t ZPages::UptimeSeconds() const {
  return std::chrono::floor<std::chrono::seconds>(clock_.Monotonic() - started_).count();
}

bool ZPages::Answer(ApiRequest& request) const {
  const bool is_status = options_.status && request.info.path == "/statusz";
  const bool is_flags = options_.flags && request.info.path == "/flagz";
  if (!is_status && !is_flags) return false;
  const std::string_view kind = is_status ? "Statusz" : "Flagz";
  const std::optional<Wanted> wanted = Choose(request.http.headers.Get("accept"), kind);
  if (!wanted) {
    RespondError(request, NotAcceptable(kOffers));
    return true;
  }
  if (wanted->media_type == kTextMediaType) {
    RespondText(request, 200, is_status ? StatusText() : FlagsText());
    return true;
  }
  ByteBuffer json;
  WriteObject(kind, wanted->version, json);
  OutputFormat format;
  if (wanted->media_type == kYamlMediaType) format.media = MediaKind::kYaml;
  format.pretty =
      wanted->pretty || WantsPretty(request.http.query, request.http.headers.Get("user-agent"));
  Result<SharedBytes> body = FinishJson(std::move(json), format);
  if (!body) {
    RespondError(request, body.error());
    return true;
  }
  net::HttpHeaders extra;
  if (wanted->version == "v1alpha1") {
    extra.Add("warning", "299 - \"This version of the " + request.info.path.substr(1) +
                             " endpoint is deprecated. Please use a newer version.\"");
  }
  RespondBytes(request, 200, format.content_type(), std::move(*body), std::move(extra));
  return true;
}

std::string ZPages::StatusText() const {
  const int64_t up = UptimeSeconds();
  const auto two = [](int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  std::string text = "\n" + options_.component + " statusz\n" + std::string(kNote);
  text += "\nStarted: " + DateText(began_);
  text += "\nUp: " + std::to_string(up / 3600) + " hr " + two(up / 60 % 60) + " min " +
          two(up % 60) + " sec";
  text += "\nGo version: " + std::string(kGoVersion);
  text += "\nBinary version: " + std::string(kVersion);
  text += "\nEmulation version: " + std::string(kEmulated) + "\n";
  if (!told_.empty()) text += "Paths:";
  for (const std::string& path : told_) text += " " + path;
  return text + "\n";
}

std::string ZPages::FlagsText() const {
  std::string text = "\n" + options_.component + " flagz\n" + std::string(kNote);
  for (const auto& [name, value] : options_.flags()) text += name + "=" + value + "\n";
  return text;
}

void ZPages::WriteObject(std::string_view kind, std::string_view version, ByteBuffer& out) const {
  JsonWriter json(out);
  json.OpenObject();
  json.String("kind", kind);
  json.String("apiVersion", std::string(kGroup) + "/" + std::string(version));
  json.OpenObject("metadata");
  json.String("name", options_.component);
  json.CloseObject();
  if (kind == "Flagz") {
    json.OpenObject("flags");
    for (const auto& [name, value] : options_.flags()) json.String(name, value);
    json.CloseObject();
  } else {
    std::string time;
    object::AppendTime(began_, time);
    json.String("startTime", time);
    json.Key("uptimeSeconds");
    json.Int(UptimeSeconds());
    json.String("goVersion", kGoVersion);
    json.String("binaryVersion", kVersion);
    json.String("emulationVersion", kEmulated);
    json.OpenArray("paths");
    for (const std::string& path : told_) json.String(path);
    json.CloseArray();
  }
  json.CloseObject();
}

}  // namespace skiff::serving
