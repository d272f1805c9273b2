#include "cli/store/store_text.h"

#include <algorithm>
#include <cstdio>

#include "base/buffer.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "cli/common/input.h"
#include "cli/common/long_operation.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/stored_identity.h"
#include "object/scalar/time.h"
#include "object/transcode/protobuf_to_json.h"
#include "object/yaml/emit.h"

namespace skiff::cli {
namespace {

constexpr int kIndent = 2;
constexpr size_t kLabelColumns = 18;
constexpr std::string_view kSecrets = "secrets";

std::string TimeText(int64_t seconds) {
  std::string out;
  object::AppendTime({seconds, 0}, out);
  return out;
}

std::string Line(std::string_view label, const std::string& value) {
  const size_t gap = label.size() < kLabelColumns ? kLabelColumns - label.size() : 1;
  return std::string(label) + std::string(gap, ' ') + value + '\n';
}

// Members of one JSON object, in the order in which they are added.
class JsonMembers {
 public:
  void Add(std::string_view name, std::string_view text) {
    Name(name);
    object::AppendJsonScalar(out_, object::Value::String(text));
  }
  void Add(std::string_view name, int64_t number) {
    Name(name);
    out_.Append(std::to_string(number));
  }
  void Add(std::string_view name, uint64_t number) {
    Name(name);
    out_.Append(std::to_string(number));
  }
  void AddSwitch(std::string_view name, bool value) { AddJson(name, value ? "true" : "false"); }
  void AddJson(std::string_view name, std::string_view json) {
    Name(name);
    out_.Append(json);
  }
  std::string Finish() { return "{" + out_.ToString() + "}"; }

 private:
  void Name(std::string_view name) {
    if (!out_.empty()) out_.Append(',');
    object::AppendJsonScalar(out_, object::Value::String(name));
    out_.Append(':');
  }
  ByteBuffer out_;
};

// What a value is, and the object in it if it can be shown.
struct Decoded {
  std::string what;       // "protobuf v1 Pod"
  std::string json;       // compact; empty when it is not shown
  std::string not_shown;  // why
};

Result<std::string> StoredAsJson(std::string_view value) {
  if (object::HasProtobufPrefix(value)) {
    ByteBuffer out;
    SKIFF_RETURN_IF_ERROR(object::StorageToJson(value, out));
    return out.ToString();
  }
  // Custom resources and a few others are stored as JSON.
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxBackupFrameBytes;
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(value, nullptr, options));
  return object::EncodeJson(document.root());
}

Decoded Decode(const EntrySummary& summary) {
  const std::string_view value = summary.entry.value.view();
  Decoded out;
  bool is_secret = ResourceOfKey(summary.prefix, summary.entry.key) == kSecrets;
  if (const std::string hint = HintOnStoredText(value); !hint.empty()) {
    out.what = "encrypted";
    out.not_shown = hint;
    return out;
  }
  if (object::HasProtobufPrefix(value)) {
    out.what = "protobuf";
    if (const Result<object::ProtobufEnvelope> envelope = object::OpenProtobufEnvelope(value)) {
      out.what.append(" ").append(envelope->api_version).append(" ").append(envelope->kind);
      is_secret = is_secret || envelope->kind == "Secret" || envelope->kind == "SecretList";
    }
  } else {
    out.what = TrimSpace(value).starts_with('{') ? "JSON" : "bytes";
  }
  if (is_secret && !summary.show_secrets) {
    out.not_shown = "it is a secret; --show-secrets shows it";
    return out;
  }
  if (out.what == "bytes") {
    out.not_shown = "it is neither protobuf nor JSON";
    return out;
  }
  Result<std::string> json = StoredAsJson(value);
  if (json) {
    out.json = std::move(*json);
  } else {
    out.not_shown = "it cannot be decoded: " + json.error().message();
  }
  return out;
}

std::string ResourcesJson(const std::vector<ResourceFigures>& resources) {
  std::string out = "[";
  for (const ResourceFigures& resource : resources) {
    JsonMembers members;
    members.Add("resource", resource.name);
    members.Add("keys", resource.keys);
    members.Add("bytes", resource.bytes);
    if (out.size() > 1) out += ',';
    out += members.Finish();
  }
  return out + "]";
}

std::string MisplacedLines(const StoreSummary& summary) {
  std::string out = Line("misplaced", Grouped(summary.misplaced) +
                                          (summary.misplaced == 1 ? " key holds" : " keys hold") +
                                          " an object of another name");
  for (const MisplacedKey& each : summary.misplaced_keys) {
    out += Line("", Printable(each.key) + " holds " + Printable(each.object));
  }
  if (summary.misplaced > summary.misplaced_keys.size()) out += Line("", "...");
  return out;
}

std::string MisplacedJson(const StoreSummary& summary) {
  std::string out = "[";
  for (const MisplacedKey& each : summary.misplaced_keys) {
    JsonMembers members;
    members.Add("key", each.key);
    members.Add("object", each.object);
    if (out.size() > 1) out += ',';
    out += members.Finish();
  }
  return out + "]";
}

}  // namespace

std::string ResourceOfKey(std::string_view prefix, std::string_view key) {
  const bool is_under = !prefix.empty() && key.starts_with(prefix);
  std::string_view rest = is_under ? key.substr(prefix.size()) : key;
  if (!is_under) {
    if (rest.starts_with('/')) rest.remove_prefix(1);
    return "/" + std::string(rest.substr(0, rest.find('/')));
  }
  size_t end = rest.find('/');
  const std::string_view first = rest.substr(0, end);
  // Groups have a dot; services and the ranges of their addresses are divided further.
  const bool is_divided =
      first.find('.') != std::string_view::npos || first == "services" || first == "ranges";
  if (is_divided && end != std::string_view::npos) end = rest.find('/', end + 1);
  return std::string(rest.substr(0, end));
}

std::optional<MisplacedKey> FindMisplaced(std::string_view prefix, const store::KeyValue& entry) {
  if (prefix.empty() || !entry.key.starts_with(prefix)) return std::nullopt;
  const Result<object::StoredIdentity> identity = object::ReadStoredIdentity(entry.value.view());
  if (!identity || identity->name.empty()) return std::nullopt;
  std::string end = identity->KeyEnd();
  const std::string wanted = std::string(prefix) + ResourceOfKey(prefix, entry.key) + "/" + end;
  if (entry.key == wanted) return std::nullopt;
  return MisplacedKey{entry.key, std::move(end)};
}

std::string SummaryTable(const StoreSummary& summary) {
  const LocationFigures& figures = summary.figures;
  std::string what = summary.place + " (" + figures.engine;
  if (figures.format_version != 0) what += ", format " + std::to_string(figures.format_version);
  std::string out = Line("store", what + ")");
  if (figures.taken_at != 0) out += Line("taken", TimeText(figures.taken_at));
  if (figures.cluster_id != 0) out += Line("cluster id", HexNumber(figures.cluster_id, 16));
  out += Line("revision", std::to_string(figures.revision.value));
  if (figures.compacted) out += Line("compacted", std::to_string(figures.compacted->value));
  out += Line("keys", Grouped(summary.total.keys) + " (" + HumanBytes(summary.total.bytes) + ")");
  if (figures.leases) out += Line("leases", Grouped(*figures.leases));
  std::string size = HumanBytes(figures.bytes_on_disk);
  if (figures.bytes_in_use) size += ", of which in use " + HumanBytes(*figures.bytes_in_use);
  out += Line("size on disk", size);
  if (!summary.verified.empty()) out += Line("verified", summary.verified);
  if (summary.misplaced != 0) out += MisplacedLines(summary);
  if (summary.resources.empty()) return out;

  size_t widest = std::string_view("RESOURCE").size();
  for (const ResourceFigures& resource : summary.resources) {
    widest = std::max(widest, Printable(resource.name).size());
  }
  const auto row = [&](const std::string& name, const std::string& keys, const std::string& bytes) {
    const auto pad = [](size_t width, size_t used) {
      return std::string(width > used ? width - used : 0, ' ');
    };
    out += name + pad(widest, name.size()) + "  " + pad(11, keys.size()) + keys + "  " +
           pad(10, bytes.size()) + bytes + '\n';
  };
  out += '\n';
  row("RESOURCE", "KEYS", "BYTES");
  for (const ResourceFigures& resource : summary.resources) {
    row(Printable(resource.name), Grouped(resource.keys), HumanBytes(resource.bytes));
  }
  return out;
}

std::string SummaryJson(const StoreSummary& summary) {
  const LocationFigures& figures = summary.figures;
  JsonMembers members;
  members.Add("store", summary.place);
  members.Add("engine", figures.engine);
  if (figures.format_version != 0) members.Add("formatVersion", figures.format_version);
  if (figures.taken_at != 0) members.Add("taken", TimeText(figures.taken_at));
  if (figures.cluster_id != 0) members.Add("clusterID", HexNumber(figures.cluster_id, 16));
  members.Add("revision", figures.revision.value);
  if (figures.compacted) members.Add("compactedRevision", figures.compacted->value);
  members.Add("keys", summary.total.keys);
  members.Add("bytes", summary.total.bytes);
  if (figures.leases) members.Add("leases", *figures.leases);
  members.Add("bytesOnDisk", figures.bytes_on_disk);
  if (figures.bytes_in_use) members.Add("bytesInUse", *figures.bytes_in_use);
  if (!summary.verified.empty()) members.Add("verified", summary.verified);
  members.Add("misplaced", summary.misplaced);
  if (summary.misplaced != 0) members.AddJson("misplacedKeys", MisplacedJson(summary));
  members.AddJson("resources", ResourcesJson(summary.resources));
  return members.Finish();
}

std::string EntryTable(const EntrySummary& summary) {
  const store::KeyValue& entry = summary.entry;
  const Decoded decoded = Decode(summary);
  std::string out = Line("key", Printable(entry.key));
  out += Line("created", "revision " + std::to_string(entry.create_revision.value));
  out += Line("last written", "revision " + std::to_string(entry.mod_revision.value));
  out += Line("writes", std::to_string(entry.version));
  if (entry.lease.value != 0) {
    std::string lease = HexNumber(static_cast<uint64_t>(entry.lease.value), 16);
    lease += summary.lease ? ", " + std::to_string(summary.lease->remaining.count()) + " s of " +
                                 std::to_string(summary.lease->granted.count()) + " s remain"
                           : ", which has ended";
    out += Line("lease", lease);
  }
  out += Line("value", HumanBytes(entry.value.size()) + ", " + Printable(decoded.what));
  if (decoded.json.empty()) return out + Line("not shown", Printable(decoded.not_shown));
  return out + Line("", "-o yaml shows it");
}

std::string EntryJson(const EntrySummary& summary) {
  const store::KeyValue& entry = summary.entry;
  const Decoded decoded = Decode(summary);
  JsonMembers members;
  members.Add("key", entry.key);
  members.Add("createRevision", entry.create_revision.value);
  members.Add("modRevision", entry.mod_revision.value);
  members.Add("version", entry.version);
  if (entry.lease.value != 0) {
    JsonMembers lease;
    lease.Add("id", HexNumber(static_cast<uint64_t>(entry.lease.value), 16));
    if (summary.lease) {
      lease.Add("grantedSeconds", static_cast<int64_t>(summary.lease->granted.count()));
      lease.Add("remainingSeconds", static_cast<int64_t>(summary.lease->remaining.count()));
    }
    members.AddJson("lease", lease.Finish());
  }
  members.Add("valueBytes", static_cast<uint64_t>(entry.value.size()));
  members.Add("encoding", decoded.what);
  if (decoded.json.empty()) {
    members.Add("notShown", decoded.not_shown);
  } else {
    members.AddJson("object", decoded.json);
  }
  return members.Finish();
}

std::string Pretty(std::string_view json) {
  ByteBuffer out;
  object::AppendPrettyJson(out, json, kIndent);
  out.Append('\n');
  return out.ToString();
}

Result<std::string> JsonAsYaml(std::string_view json) {
  object::DecodeOptions options;
  options.max_bytes = SIZE_MAX;
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(json, nullptr, options));
  ByteBuffer out;
  object::AppendYaml(out, document.root());
  return out.ToString();
}

}  // namespace skiff::cli
