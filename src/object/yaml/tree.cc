#include "object/yaml/tree.h"

#include <algorithm>
#include <new>

#include "base/limits.h"
#include "object/scalar/base64.h"

namespace skiff {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

std::string_view ViewOf(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// `!!int` instead of the tag's full name.
std::string ShortTag(std::string_view tag) {
  if (!tag.starts_with(kTagPrefix)) return std::string(tag);
  return "!!" + std::string(tag.substr(kTagPrefix.size()));
}

// The type that a tag demands. False for tags that say nothing about a scalar, all others.
bool TypeOfTag(std::string_view tag, YamlType* out) {
  if (!tag.starts_with(kTagPrefix)) return false;
  tag.remove_prefix(kTagPrefix.size());
  if (tag == "null") {
    *out = YamlType::kNull;
  } else if (tag == "bool") {
    *out = YamlType::kBool;
  } else if (tag == "int") {
    *out = YamlType::kInt;
  } else if (tag == "float") {
    *out = YamlType::kFloat;
  } else if (tag == "timestamp") {
    *out = YamlType::kTimestamp;
  } else {
    return false;
  }
  return true;
}

// The short beginning of a value, for messages.
std::string Excerpt(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() <= kLongest) return std::string(text);
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

void SetText(YamlNode& node, std::string_view text, Arena& arena) {
  const std::string_view copy = arena.Copy(text);
  node.type = YamlType::kString;
  node.text = copy.data();
  node.size = static_cast<uint32_t>(copy.size());
}

}  // namespace

YamlTreeParser::YamlTreeParser(std::string_view text, uint32_t first_line)
    : event_(), source_(text, first_line) {
  max_flow_work_ = limits::kMaxYamlFlowWork + text.size() * limits::kMaxYamlFlowWorkPerByte;
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
}

YamlTreeParser::~YamlTreeParser() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

std::unexpected<Status> YamlTreeParser::FailHere(std::string message) {
  Status status(StatusReason::kBadRequest, std::move(message));
  status.SetPosition(source_.PositionOf(event_.start_mark));
  return std::unexpected(std::move(status));
}

Result<void> YamlTreeParser::ParseEvent() {
  yaml_event_delete(&event_);
  if (yaml_parser_parse(&parser_, &event_) == 0) {
    return std::unexpected(source_.ErrorOf(parser_));
  }
  // For each token libyaml looks at every flow collection that is open.
  flow_work_ += static_cast<uint64_t>(parser_.flow_level);
  if (flow_work_ > max_flow_work_) return FailHere("too many values nested too deeply");
  return {};
}

Result<const YamlNode*> YamlTreeParser::Next(Arena& arena) {
  if (!started_) SKIFF_RETURN_IF_ERROR(ParseEvent());  // the start of the stream
  started_ = true;
  SKIFF_RETURN_IF_ERROR(ParseEvent());
  if (event_.type != YAML_DOCUMENT_START_EVENT) return nullptr;
  anchors_.clear();
  anchor_index_.clear();
  SKIFF_ASSIGN_OR_RETURN(const YamlNode* root, ParseDocument(arena));
  SKIFF_RETURN_IF_ERROR(ParseEvent());  // the end of the document
  return root;
}

Result<const YamlNode*> YamlTreeParser::ParseDocument(Arena& arena) {
  open_.clear();
  const YamlNode* root = nullptr;
  do {
    SKIFF_RETURN_IF_ERROR(ParseEvent());
    if (event_.type == YAML_SEQUENCE_END_EVENT || event_.type == YAML_MAPPING_END_EVENT) {
      CloseCollection();
      continue;
    }
    SKIFF_ASSIGN_OR_RETURN(const YamlNode* node, ReadNode(arena));
    if (root == nullptr) root = node;
  } while (!open_.empty());
  return root;
}

Result<YamlNode*> YamlTreeParser::ReadNode(Arena& arena) {
  if (event_.type == YAML_SCALAR_EVENT) return ReadScalar(arena);
  if (event_.type == YAML_ALIAS_EVENT) return ReadAlias(arena);
  if (open_.size() >= static_cast<size_t>(limits::kMaxDepth)) {
    return FailHere("nested deeper than " + std::to_string(limits::kMaxDepth) + " levels");
  }
  const bool is_mapping = event_.type == YAML_MAPPING_START_EVENT;
  auto* node = new (arena.AllocateArray<YamlNode>(1)) YamlNode;
  node->kind = is_mapping ? YamlNodeKind::kMapping : YamlNodeKind::kSequence;
  node->first_child = nullptr;
  node->position = source_.PositionOf(event_.start_mark);
  AddToParent(node, {.nodes = 0, .bytes = 0, .height = 0});  // its cost is added when it closes
  const yaml_char_t* name =
      is_mapping ? event_.data.mapping_start.anchor : event_.data.sequence_start.anchor;
  const size_t anchor = SetAnchor(name, node, {}, /*is_complete=*/false, arena);
  open_.push_back({.node = node,
                   .last_child = nullptr,
                   .cost = {.nodes = 1, .bytes = 2, .height = 1},
                   .anchor = anchor});
  return node;
}

Result<YamlNode*> YamlTreeParser::ReadScalar(Arena& arena) {
  auto* node = new (arena.AllocateArray<YamlNode>(1)) YamlNode;
  node->position = source_.PositionOf(event_.start_mark);
  const auto& scalar = event_.data.scalar;
  const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const std::string_view tag = ViewOf(scalar.tag);
  const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
  node->is_merge_key =
      text == "<<" && (scalar.plain_implicit != 0 || tag == "tag:yaml.org,2002:merge");
  const bool is_string = tag.empty() && (!is_plain || HasNonSpecificTag());
  SKIFF_RETURN_IF_ERROR(ResolveScalar(*node, tag, text, is_string, arena));
  const Cost cost{.nodes = 1, .bytes = text.size() + 4, .height = 0};
  AddToParent(node, cost);
  SetAnchor(scalar.anchor, node, cost, /*is_complete=*/true, arena);
  return node;
}

Result<void> YamlTreeParser::ResolveScalar(YamlNode& node, std::string_view tag,
                                           std::string_view text, bool is_string, Arena& arena) {
  YamlType wanted = YamlType::kString;
  if (is_string || (!tag.empty() && !TypeOfTag(tag, &wanted))) {
    if (tag == "tag:yaml.org,2002:binary") {
      Result<std::string> bytes = DecodeBase64(text);
      if (!bytes) return FailHere("!!binary value is not base64: " + bytes.error().message());
      SetText(node, *bytes, arena);
    } else {
      SetText(node, text, arena);
    }
    return {};
  }
  YamlScalar scalar = ResolveYamlScalar(text);
  if (wanted == YamlType::kFloat && scalar.type == YamlType::kInt) {
    scalar.number = static_cast<double>(scalar.integer);
    scalar.type = YamlType::kFloat;
  }
  if (!tag.empty() && scalar.type != wanted &&
      !(wanted == YamlType::kInt && scalar.type == YamlType::kUint)) {
    return FailHere("cannot decode " + std::string(YamlTypeTag(scalar.type)) + " `" +
                    Excerpt(text) + "` as a " + ShortTag(tag));
  }
  if (scalar.type == YamlType::kString || scalar.type == YamlType::kTimestamp) {
    SetText(node, text, arena);
    return {};
  }
  node.type = scalar.type;
  if (scalar.type == YamlType::kFloat) {
    node.number = scalar.number;
  } else if (scalar.type == YamlType::kUint) {
    node.unsigned_integer = scalar.unsigned_integer;
  } else {
    node.integer = scalar.integer;
  }
  return {};
}

// libyaml drops the tag `!`, which makes any scalar a string, so it is looked for in the text.
bool YamlTreeParser::HasNonSpecificTag() {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view text = source_.TextAt(event_.start_mark);
  while (text.starts_with('&') || text.starts_with('#')) {
    const std::string_view end_of_token = text[0] == '&' ? kBlanks : kBlanks.substr(2);
    text.remove_prefix(std::min(text.find_first_of(end_of_token), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  }
  return text.size() >= 2 && text[0] == '!' && kBlanks.find(text[1]) != std::string_view::npos;
}

Result<YamlNode*> YamlTreeParser::ReadAlias(Arena& arena) {
  const std::string_view name = ViewOf(event_.data.alias.anchor);
  const auto found = anchor_index_.find(name);
  if (found == anchor_index_.end()) {
    return FailHere("unknown anchor '" + Excerpt(name) + "' referenced");
  }
  const Anchor& anchor = anchors_[found->second];
  if (!anchor.is_complete) return FailHere("anchor '" + Excerpt(name) + "' value contains itself");
  aliased_nodes_ += anchor.cost.nodes;
  aliased_bytes_ += anchor.cost.bytes;
  if (aliased_nodes_ > limits::kMaxYamlNodes || aliased_bytes_ > limits::kMaxYamlExpandedBytes) {
    return FailHere("document contains excessive aliasing: aliases may stand for at most " +
                    std::to_string(limits::kMaxYamlNodes) + " values and " +
                    std::to_string(limits::kMaxYamlExpandedBytes) + " bytes in all");
  }
  if (static_cast<int>(open_.size()) + anchor.cost.height > limits::kMaxDepth) {
    return FailHere("nested deeper than " + std::to_string(limits::kMaxDepth) +
                    " levels through anchor '" + Excerpt(name) + "'");
  }
  auto* node = new (arena.AllocateArray<YamlNode>(1)) YamlNode;
  node->kind = YamlNodeKind::kAlias;
  node->position = source_.PositionOf(event_.start_mark);
  node->target = anchor.node;
  AddToParent(node, anchor.cost);
  return node;
}

void YamlTreeParser::AddToParent(YamlNode* node, const Cost& cost) {
  if (open_.empty()) return;
  OpenCollection& parent = open_.back();
  if (parent.last_child == nullptr) {
    parent.node->first_child = node;
  } else {
    parent.last_child->next = node;
  }
  parent.last_child = node;
  ++parent.node->size;
  parent.cost.Add(cost);
}

void YamlTreeParser::CloseCollection() {
  const OpenCollection closed = open_.back();
  open_.pop_back();
  if (closed.anchor != kNoAnchor) {
    anchors_[closed.anchor].cost = closed.cost;
    anchors_[closed.anchor].is_complete = true;
  }
  if (!open_.empty()) open_.back().cost.Add(closed.cost);
}

size_t YamlTreeParser::SetAnchor(const yaml_char_t* name, const YamlNode* node, const Cost& cost,
                                 bool is_complete, Arena& arena) {
  if (name == nullptr) return kNoAnchor;
  const size_t index = anchors_.size();
  anchors_.push_back({.node = node, .cost = cost, .is_complete = is_complete});
  const std::string_view key = ViewOf(name);
  const auto found = anchor_index_.find(key);
  if (found != anchor_index_.end()) {
    found->second = index;  // the name is given anew
  } else {
    anchor_index_.emplace(arena.Copy(key), index);
  }
  return index;
}

}  // namespace skiff
