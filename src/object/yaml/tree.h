// One YAML document as a tree of nodes, scalars already resolved to what they mean.
//
// libyaml scans and parses; this layer keeps its nodes in an arena, ties aliases to their anchors
// and bounds what the document may cost. Aliases are not expanded: the tree is a graph without
// cycles, and the bounds on it and on its expansion (limits::kMaxYamlNodes, kMaxYamlExpandedBytes
// and kMaxDepth) are checked while it is built, so that a document that is too dense is not read to
// its end, and one of aliases upon aliases is refused before anything is multiplied.
#pragma once

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/status.h"
#include "object/yaml/resolve.h"
#include "object/yaml/source.h"

namespace skiff::object {

enum class YamlNodeKind : uint8_t { kScalar, kSequence, kMapping, kAlias };

struct YamlNode {
  YamlNodeKind kind = YamlNodeKind::kScalar;
  YamlType type = YamlType::kNull;  // of scalars
  bool is_merge_key = false;        // a scalar that means `<<` when it is a key
  uint32_t size = 0;                // bytes of a string, children of a collection
  TextPosition position;
  YamlNode* next = nullptr;  // the next child of the same parent
  union {
    const char* text = nullptr;  // kString
    int64_t integer;
    uint64_t unsigned_integer;
    double number;
    YamlNode* first_child;   // collections; keys and values of a mapping alternate
    const YamlNode* target;  // kAlias
  };

  std::string_view AsText() const { return {text, size}; }
};

// Reads the documents of one text, one after the other. Not thread-safe.
class YamlTreeParser {
 public:
  // The text must outlive the parser.
  YamlTreeParser(std::string_view text, uint32_t first_line);
  ~YamlTreeParser();
  YamlTreeParser(const YamlTreeParser&) = delete;
  YamlTreeParser& operator=(const YamlTreeParser&) = delete;

  // The root of the next document, whose nodes lie in `arena`; null at the end of the stream.
  // After an error the parser cannot go on.
  Result<const YamlNode*> Next(Arena& arena);

 private:
  // What expanding a node costs.
  struct Cost {
    uint64_t nodes = 1;
    uint64_t bytes = 0;
    int height = 0;  // levels of collections in it

    void Add(const Cost& child) {
      nodes += child.nodes;
      bytes += child.bytes;
      height = std::max(height, child.height + 1);
    }
  };
  struct Anchor {
    std::string_view name;
    const YamlNode* node;
    Cost cost;
    bool is_complete;  // false while the collection is still open
  };
  struct OpenCollection {
    YamlNode* node;
    YamlNode* last_child;
    Cost cost;
    uint32_t anchor;  // index into anchors_, or kNoAnchor
    bool is_flow;     // [] or {}
  };
  static constexpr uint32_t kNoAnchor = static_cast<uint32_t>(-1);

  // libyaml's way to ask for more text.
  static int ReadText(void* self, unsigned char* out, size_t size, size_t* size_read);
  bool HasTooManyDirectives() const;
  // Parses one event into event_, which is empty if that fails.
  Result<void> ParseEvent();
  Result<const YamlNode*> ParseDocument(Arena& arena);
  // A node for the event, where its place in the text is all that is known of it.
  Result<YamlNode*> NewNode(YamlNodeKind kind, Arena& arena);
  // The node that the event begins; collections are also opened.
  Result<YamlNode*> ReadNode(Arena& arena);
  Result<YamlNode*> ReadScalar(Arena& arena);
  Result<YamlNode*> ReadAlias(Arena& arena);
  Result<void> ResolveScalar(YamlNode& node, std::string_view tag, std::string_view text,
                             bool is_string, Arena& arena);
  void AddToParent(YamlNode* node, const Cost& cost);
  void CloseCollection();
  // The index of the anchor of this name, or kNoAnchor.
  uint32_t FindAnchor(std::string_view name, uint32_t hash) const;
  Result<uint32_t> SetAnchor(const yaml_char_t* name, const YamlNode* node, const Cost& cost,
                             bool is_complete, Arena& arena);
  bool HasNonSpecificTag();
  std::unexpected<Status> FailHere(std::string message);
  std::unexpected<Status> FailAt(const yaml_mark_t& mark, std::string message);

  yaml_parser_t parser_;
  yaml_event_t event_;
  YamlSource source_;
  std::string_view unread_;
  bool started_ = false;
  std::vector<OpenCollection> open_;
  std::vector<Anchor> anchors_;
  HashIndex<uint32_t> anchor_index_;  // into anchors_
  uint64_t nodes_ = 0;
  int open_flow_ = 0;  // of open_
  uint64_t flow_work_ = 0;
  uint64_t aliased_nodes_ = 0;
  uint64_t aliased_bytes_ = 0;
};

}  // namespace skiff::object
