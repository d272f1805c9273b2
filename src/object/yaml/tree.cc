#include "object/yaml/tree.h"

#include <algorithm>
#include <new>

#include "base/limits.h"
#include "object/scalar/base64.h"

namespace skiff::object {
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

uint32_t HashOfName(std::string_view name) {
  return KeyedHash(name.data(), name.size(), ProcessHashSeed());
}

void SetText(YamlNode& node, std::string_view text, Arena& arena) {
  const std::string_view copy = arena.Copy(text);
  node.type = YamlType::kString;
  node.text = copy.data();
  node.size = static_cast<uint32_t>(copy.size());
}

}  // namespace

YamlTreeParser::YamlTreeParser(std::string_view text, uint32_t first_line)
    : event_(), source_(text, first_line), unread_(text) {
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_input(&parser_, ReadText, this);
}

YamlTreeParser::~YamlTreeParser() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

// One call of libyaml reads all directives of a document, in quadratic time. Between two of these
// calls it has read a few kilobytes at most, so here is the place to stop it.
int YamlTreeParser::ReadText(void* self, unsigned char* out, size_t size, size_t* size_read) {
  auto& parser = *static_cast<YamlTreeParser*>(self);
  if (parser.HasTooManyDirectives()) return 0;
  *size_read = parser.unread_.copy(reinterpret_cast<char*>(out), size);
  parser.unread_.remove_prefix(*size_read);
  return 1;
}

bool YamlTreeParser::HasTooManyDirectives() const {
  constexpr size_t kPredefined = 2;  // ! and !!
  const auto directives =
      static_cast<size_t>(parser_.tag_directives.top - parser_.tag_directives.start);
  return directives > limits::kMaxYamlTagDirectives + kPredefined;
}

std::unexpected<Status> YamlTreeParser::FailAt(const yaml_mark_t& mark, std::string message) {
  Status status(StatusReason::kBadRequest, std::move(message));
  status.SetPosition(source_.PositionOf(mark));
  return std::unexpected(std::move(status));
}

std::unexpected<Status> YamlTreeParser::FailHere(std::string message) {
  return FailAt(event_.start_mark, std::move(message));
}

Result<void> YamlTreeParser::ParseEvent() {
  yaml_event_delete(&event_);
  const bool parsed = yaml_parser_parse(&parser_, &event_) != 0;
  if (HasTooManyDirectives()) {
    return FailAt(parser_.mark, "the document has more than the limit of " +
                                    std::to_string(limits::kMaxYamlTagDirectives) +
                                    " %TAG directives");
  }
  if (!parsed) return std::unexpected(source_.ErrorOf(parser_));
  // For each token libyaml looks at every flow collection that is open. It may have read ahead, so
  // the events tell the depth of some tokens, and its own level that of others.
  flow_work_ += static_cast<uint64_t>(std::max(parser_.flow_level, open_flow_));
  if (flow_work_ > limits::kMaxYamlFlowWork) return FailHere("too many values nested too deeply");
  return {};
}

Result<const YamlNode*> YamlTreeParser::Next(Arena& arena) {
  if (!started_) SKIFF_RETURN_IF_ERROR(ParseEvent());  // the start of the stream
  started_ = true;
  SKIFF_RETURN_IF_ERROR(ParseEvent());
  if (event_.type != YAML_DOCUMENT_START_EVENT) return nullptr;
  anchors_.clear();
  anchor_index_.Clear();
  nodes_ = 0;
  SKIFF_ASSIGN_OR_RETURN(const YamlNode* root, ParseDocument(arena));
  SKIFF_RETURN_IF_ERROR(ParseEvent());  // the end of the document
  return root;
}

Result<const YamlNode*> YamlTreeParser::ParseDocument(Arena& arena) {
  open_.clear();
  open_flow_ = 0;
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

Result<YamlNode*> YamlTreeParser::NewNode(YamlNodeKind kind, Arena& arena) {
  if (++nodes_ > limits::kMaxYamlNodes) {
    return FailHere("the document has more than the limit of " +
                    std::to_string(limits::kMaxYamlNodes) + " keys and values");
  }
  auto* node = new (arena.AllocateArray<YamlNode>(1)) YamlNode;
  node->kind = kind;
  node->position = source_.PositionOf(event_.start_mark);
  return node;
}

Result<YamlNode*> YamlTreeParser::ReadNode(Arena& arena) {
  if (event_.type == YAML_SCALAR_EVENT) return ReadScalar(arena);
  if (event_.type == YAML_ALIAS_EVENT) return ReadAlias(arena);
  if (open_.size() >= static_cast<size_t>(limits::kMaxDepth)) {
    return FailHere("nested deeper than " + std::to_string(limits::kMaxDepth) + " levels");
  }
  const bool is_mapping = event_.type == YAML_MAPPING_START_EVENT;
  const bool is_flow = is_mapping ? event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                                  : event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
  SKIFF_ASSIGN_OR_RETURN(
      YamlNode* const node,
      NewNode(is_mapping ? YamlNodeKind::kMapping : YamlNodeKind::kSequence, arena));
  node->first_child = nullptr;
  AddToParent(node, {.nodes = 0, .bytes = 0, .height = 0});  // its cost is added when it closes
  const yaml_char_t* name =
      is_mapping ? event_.data.mapping_start.anchor : event_.data.sequence_start.anchor;
  SKIFF_ASSIGN_OR_RETURN(const uint32_t anchor,
                         SetAnchor(name, node, {}, /*is_complete=*/false, arena));
  open_.push_back({.node = node,
                   .last_child = nullptr,
                   .cost = {.nodes = 1, .bytes = 2, .height = 1},
                   .anchor = anchor,
                   .is_flow = is_flow});
  open_flow_ += is_flow ? 1 : 0;
  return node;
}

Result<YamlNode*> YamlTreeParser::ReadScalar(Arena& arena) {
  SKIFF_ASSIGN_OR_RETURN(YamlNode* const node, NewNode(YamlNodeKind::kScalar, arena));
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
  SKIFF_RETURN_IF_ERROR(SetAnchor(scalar.anchor, node, cost, /*is_complete=*/true, arena));
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
  const uint32_t found = FindAnchor(name, HashOfName(name));
  if (found == kNoAnchor) return FailHere("unknown anchor '" + Excerpt(name) + "' referenced");
  const Anchor& anchor = anchors_[found];
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
  SKIFF_ASSIGN_OR_RETURN(YamlNode* const node, NewNode(YamlNodeKind::kAlias, arena));
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
  open_flow_ -= closed.is_flow ? 1 : 0;
  if (closed.anchor != kNoAnchor) {
    anchors_[closed.anchor].cost = closed.cost;
    anchors_[closed.anchor].is_complete = true;
  }
  if (!open_.empty()) open_.back().cost.Add(closed.cost);
}

uint32_t YamlTreeParser::FindAnchor(std::string_view name, uint32_t hash) const {
  const uint32_t* const found =
      anchor_index_.Find(hash, [&](uint32_t index) { return anchors_[index].name == name; });
  return found == nullptr ? kNoAnchor : *found;
}

Result<uint32_t> YamlTreeParser::SetAnchor(const yaml_char_t* name, const YamlNode* node,
                                           const Cost& cost, bool is_complete, Arena& arena) {
  if (name == nullptr) return kNoAnchor;
  if (anchors_.size() == limits::kMaxYamlAnchors) {
    return FailHere("the document has more than the limit of " +
                    std::to_string(limits::kMaxYamlAnchors) + " anchors");
  }
  const std::string_view key = ViewOf(name);
  const uint32_t hash = HashOfName(key);
  const auto index = static_cast<uint32_t>(anchors_.size());
  // A name that is given anew means the new node from here on.
  const uint32_t earlier = FindAnchor(key, hash);
  if (earlier != kNoAnchor) anchor_index_.Erase(hash, earlier);
  anchors_.push_back({.name = earlier != kNoAnchor ? anchors_[earlier].name : arena.Copy(key),
                      .node = node,
                      .cost = cost,
                      .is_complete = is_complete});
  anchor_index_.Insert(hash, index);
  return index;
}

}  // namespace skiff::object
