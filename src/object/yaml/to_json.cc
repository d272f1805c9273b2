#include "object/yaml/to_json.h"

#include <algorithm>
#include <cmath>

#include "base/arena.h"
#include "object/json/text.h"
#include "object/path.h"
#include "object/yaml/tree.h"

namespace skiff::object {
namespace {

std::unexpected<Status> FailAt(TextPosition position, std::string message) {
  Status status(StatusReason::kBadRequest, std::move(message));
  status.SetPosition(position);
  return std::unexpected(std::move(status));
}

const YamlNode* Dereference(const YamlNode* node) {
  return node->kind == YamlNodeKind::kAlias ? node->target : node;
}

Result<void> CheckSize(size_t size, size_t max_bytes, uint32_t line) {
  if (size <= max_bytes) return {};
  Status status(StatusReason::kRequestEntityTooLarge, "the document is " + std::to_string(size) +
                                                          " bytes long, more than the limit of " +
                                                          std::to_string(max_bytes));
  status.SetPosition({line, 1});
  return std::unexpected(std::move(status));
}

}  // namespace

// Writes one tree. The depth of its recursion is bounded by the parser, aliases included.
class YamlJsonWriter {
 public:
  static Result<YamlJson> Write(const YamlNode* root, std::vector<FieldIssue>* issues) {
    YamlJson result;
    YamlJsonWriter writer(result, issues);
    SKIFF_RETURN_IF_ERROR(writer.WriteNode(root, PathNode()));
    return result;
  }

 private:
  struct Entry {
    std::string_view key;
    const YamlNode* key_node;
    const YamlNode* value;
  };

  YamlJsonWriter(YamlJson& result, std::vector<FieldIssue>* issues)
      : result_(result), out_(result.json_), issues_(issues) {}

  Result<void> WriteNode(const YamlNode* node, const PathNode& path) {
    node = Dereference(node);
    MarkPlace(node);
    switch (node->kind) {
      case YamlNodeKind::kMapping:
        return WriteMapping(*node, path);
      case YamlNodeKind::kSequence:
        return WriteSequence(*node, path);
      default:
        return WriteScalar(*node);
    }
  }

  Result<void> WriteScalar(const YamlNode& node) {
    switch (node.type) {
      case YamlType::kNull:
        out_.Append("null");
        break;
      case YamlType::kBool:
        out_.Append(node.integer != 0 ? "true" : "false");
        break;
      case YamlType::kInt:
        AppendJsonInt(out_, node.integer);
        break;
      case YamlType::kUint:
        AppendJsonUint(out_, node.unsigned_integer);
        break;
      case YamlType::kFloat:
        if (!std::isfinite(node.number)) {
          return FailAt(node.position, FormatYamlFloat(node.number) +
                                           " has no form in JSON; only finite numbers have");
        }
        AppendJsonDouble(out_, node.number);
        break;
      case YamlType::kTimestamp:
      case YamlType::kString:
        AppendJsonString(out_, node.AsText());
        break;
    }
    return {};
  }

  Result<void> WriteSequence(const YamlNode& node, const PathNode& path) {
    out_.Append('[');
    PathNode item_path(&path, uint32_t{0});
    uint32_t index = 0;
    for (const YamlNode* item = node.first_child; item != nullptr; item = item->next) {
      if (index != 0) out_.Append(',');
      item_path.SetIndex(index++);
      SKIFF_RETURN_IF_ERROR(WriteNode(item, item_path));
    }
    out_.Append(']');
    return {};
  }

  Result<void> WriteMapping(const YamlNode& node, const PathNode& path) {
    std::vector<Entry> entries;
    entries.reserve(node.size / 2);
    SKIFF_RETURN_IF_ERROR(CollectEntries(node, entries));
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.key < b.key; });
    out_.Append('{');
    bool is_first = true;
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      if (i != 0 && entries[i - 1].key == entry.key) ReportDuplicate(entry, path);
      if (i + 1 != entries.size() && entries[i + 1].key == entry.key) continue;
      if (!is_first) out_.Append(',');
      is_first = false;
      MarkPlace(entry.key_node);
      AppendJsonString(out_, entry.key);
      out_.Append(':');
      SKIFF_RETURN_IF_ERROR(WriteNode(entry.value, PathNode(&path, entry.key)));
    }
    out_.Append('}');
    return {};
  }

  // The keys and values of a mapping and of what it merges, in the order in which they are set.
  Result<void> CollectEntries(const YamlNode& mapping, std::vector<Entry>& entries) {
    for (const YamlNode* key = mapping.first_child; key != nullptr; key = key->next->next) {
      const YamlNode* value = key->next;
      if (key->kind == YamlNodeKind::kScalar && key->is_merge_key) {
        SKIFF_RETURN_IF_ERROR(CollectMerged(value, entries));
        continue;
      }
      SKIFF_ASSIGN_OR_RETURN(const std::string_view text, KeyText(key));
      entries.push_back({.key = text, .key_node = key, .value = value});
    }
    return {};
  }

  Result<void> CollectMerged(const YamlNode* value, std::vector<Entry>& entries) {
    const YamlNode* merged = Dereference(value);
    if (merged->kind == YamlNodeKind::kMapping) return CollectEntries(*merged, entries);
    // Only a sequence in place may list mappings, not an alias of one.
    if (value->kind != YamlNodeKind::kSequence) return FailMerge(value);
    std::vector<const YamlNode*> sources;
    for (const YamlNode* item = value->first_child; item != nullptr; item = item->next) {
      if (Dereference(item)->kind != YamlNodeKind::kMapping) return FailMerge(item);
      sources.push_back(Dereference(item));
    }
    // Earlier sources take precedence, so they are set last.
    for (size_t i = sources.size(); i-- > 0;) {
      SKIFF_RETURN_IF_ERROR(CollectEntries(*sources[i], entries));
    }
    return {};
  }

  static std::unexpected<Status> FailMerge(const YamlNode* node) {
    return FailAt(node->position, "map merge requires map or sequence of maps as the value");
  }

  Result<std::string_view> KeyText(const YamlNode* node) {
    const YamlNode* key = Dereference(node);
    if (key->kind != YamlNodeKind::kScalar) {
      return FailAt(node->position, key->kind == YamlNodeKind::kMapping
                                        ? "invalid map key: a mapping cannot be a key"
                                        : "invalid map key: a sequence cannot be a key");
    }
    switch (key->type) {
      case YamlType::kBool:
        return key->integer != 0 ? "true" : "false";
      case YamlType::kInt:
        return keys_.Copy(std::to_string(key->integer));
      // Single precision, as in sigs.k8s.io/yaml.
      case YamlType::kFloat:
        return keys_.Copy(FormatYamlFloat(static_cast<float>(key->number)));
      case YamlType::kTimestamp:
      case YamlType::kString:
        return key->AsText();
      case YamlType::kNull:
        return FailAt(node->position, "unsupported map key: null; quote it if it is a string");
      case YamlType::kUint:
        break;
    }
    return FailAt(node->position,
                  "unsupported map key: an integer of more than 63 bits; "
                  "quote it if it is a string");
  }

  void ReportDuplicate(const Entry& entry, const PathNode& path) {
    if (issues_ == nullptr || issues_->size() >= limits::kMaxFieldIssues) return;
    AddFieldIssue(issues_, FieldIssue::kDuplicate, PathNode(&path, entry.key).ToString(),
                  entry.key_node->position);
  }

  void MarkPlace(const YamlNode* node) {
    result_.places_.push_back({.json_offset = out_.size(), .position = node->position});
  }

  YamlJson& result_;
  ByteBuffer& out_;
  std::vector<FieldIssue>* issues_;
  Arena keys_;  // of keys that are not strings in the YAML
};

TextPosition YamlJson::PositionOf(size_t json_offset) const {
  const auto after = std::upper_bound(
      places_.begin(), places_.end(), json_offset,
      [](size_t offset, const Place& place) { return offset < place.json_offset; });
  return after == places_.begin() ? TextPosition() : std::prev(after)->position;
}

Result<YamlJson> YamlToJson(std::string_view yaml, const YamlOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckSize(yaml.size(), options.max_bytes, options.first_line));
  Arena arena;
  YamlTreeParser parser(yaml, options.first_line);
  SKIFF_ASSIGN_OR_RETURN(const YamlNode* root, parser.Next(arena));
  const YamlNode null{};
  return YamlJsonWriter::Write(root != nullptr ? root : &null, options.issues);
}

YamlStreamReader::YamlStreamReader(std::string_view text, const YamlOptions& options)
    : rest_(text), line_(options.first_line), options_(options) {}

YamlStreamReader::~YamlStreamReader() = default;

Result<std::optional<YamlJson>> YamlStreamReader::Next() {
  while (true) {
    if (parser_ != nullptr) {
      Result<std::optional<YamlJson>> document = NextOfPart();
      if (!document) rest_ = {};
      if (!document || document->has_value()) return document;
    }
    Result<bool> more = NextPart();
    if (!more) {
      rest_ = {};
      return std::unexpected(std::move(more).error());
    }
    if (!*more) return std::nullopt;
  }
}

Result<std::optional<YamlJson>> YamlStreamReader::NextOfPart() {
  while (true) {
    Arena arena;
    Result<const YamlNode*> root = parser_->Next(arena);
    if (!root || *root == nullptr) {
      parser_.reset();
      if (!root) return std::unexpected(std::move(root).error());
      return std::nullopt;
    }
    if ((*root)->kind == YamlNodeKind::kScalar && (*root)->type == YamlType::kNull) continue;
    SKIFF_ASSIGN_OR_RETURN(YamlJson document, YamlJsonWriter::Write(*root, options_.issues));
    return std::optional<YamlJson>(std::move(document));
  }
}

Result<bool> YamlStreamReader::NextPart() {
  if (rest_.empty()) return false;
  const uint32_t first_line = line_;
  size_t end = 0;
  // A separator begins the part that follows it, so one on the part's first line is passed over.
  for (bool is_first = true; end < rest_.size(); is_first = false) {
    const std::string_view line = rest_.substr(end, rest_.find('\n', end) - end);
    if (line.starts_with("---")) {
      const size_t after = line.find_first_not_of(" \t\r\v\f", 3);
      if (after != std::string_view::npos && line[after] != '#') {
        return FailAt({line_, static_cast<uint32_t>(after) + 1},
                      "invalid Yaml document separator: only a comment may follow '---'");
      }
      if (!is_first) break;
    }
    end = std::min(end + line.size() + 1, rest_.size());
    ++line_;
  }
  const std::string_view part = rest_.substr(0, end);
  SKIFF_RETURN_IF_ERROR(CheckSize(part.size(), options_.max_bytes, first_line));
  parser_ = std::make_unique<YamlTreeParser>(part, first_line);
  rest_.remove_prefix(end);
  return true;
}

}  // namespace skiff::object
