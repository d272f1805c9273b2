// Resource tables: what the schema says about every built-in resource beyond its types: names and
// verbs for discovery, storage, field selectors, columns, and defaults that are more than the
// constant of one field.
//
// As with descriptors, the tables are constants that tools/schema writes at build time, and a
// custom resource definition builds the same structures at run time. Paths, cells and labels are
// in the notation of api/README.md. Facts that hold for all versions of a resource stand in one
// ResourceHub, which each of its versions points to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "object/descriptor.h"

namespace skiff::object {

// In alphabetical order, which is that of discovery.
enum class Verb : uint8_t {
  kCreate,
  kDelete,
  kDeleteCollection,
  kGet,
  kList,
  kPatch,
  kUpdate,
  kWatch,
};
inline constexpr size_t kVerbCount = 8;

std::string_view VerbName(Verb verb);

class VerbSet {
 public:
  constexpr VerbSet() = default;
  constexpr explicit VerbSet(uint8_t bits) : bits_(bits) {}

  constexpr bool Has(Verb verb) const { return (bits_ >> static_cast<unsigned>(verb) & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint8_t bits() const { return bits_; }

  // Calls `f` with each verb's name, in the order of discovery.
  template <typename F>
  void ForEachName(F f) const {
    for (size_t i = 0; i < kVerbCount; ++i) {
      if (Has(static_cast<Verb>(i))) f(VerbName(static_cast<Verb>(i)));
    }
  }

  friend constexpr bool operator==(VerbSet, VerbSet) = default;

 private:
  uint8_t bits_ = 0;
};

// --- storage

// Paths that belong to an endpoint: "main" is the resource itself, others are subresources.
struct EndpointPaths {
  std::string_view endpoint;
  std::span<const std::string_view> paths;
};

// What the server does to an object on the way in.
struct ActionDesc {
  enum Kind : uint8_t {
    kClear,       // text: paths to remove, separated by commas
    kKeep,        // text: paths to take from the stored object
    kSet,         // text: path=value
    kBump,        // text: paths; the generation rises by one if one of them changed
    kGeneration,  // text: the generation to set
    kCode,        // text: in words, what code does
  };
  Kind kind;
  std::string_view text;
};

// On "create", "update", "canonicalize", "delete", "grace", or on the update of a subresource.
struct EventActions {
  std::string_view event;
  std::span<const ActionDesc> actions;
};

enum class StorageMedia : uint8_t { kProtobuf, kJson };
enum class DeletePropagation : uint8_t { kBackground, kOrphan, kUnsupported };

struct StorageDesc {
  std::string_view prefix;    // objects live at /registry/PREFIX/[NAMESPACE/]NAME
  const MessageDesc* stored;  // the version that is written
  StorageMedia media;
  DeletePropagation propagation;  // when the client does not choose
  bool create_on_update;          // a PUT may create
  bool unconditional_update;      // a PUT needs no resourceVersion
  bool returns_deleted;           // an immediate delete answers with the object, not with a Status
  bool graceful;
  bool watch_cache;
  uint32_t ttl_seconds;                      // 0: objects stay
  std::span<const EndpointPaths> reset;      // server-side apply owns none of these
  std::span<const EndpointPaths> keep_only;  // ... and here none but these
  std::span<const EventActions> actions;

  // Null when the endpoint resets nothing.
  const EndpointPaths* FindReset(std::string_view endpoint) const;
  const EndpointPaths* FindKeepOnly(std::string_view endpoint) const;
  std::span<const ActionDesc> FindActions(std::string_view event) const;
};

// --- selectors and columns

struct SelectableField {
  std::string_view label;            // "spec.nodeName"
  std::string_view cell;             // where its value comes from; empty: the path of that name
  bool trigger;                      // watchers are kept by this value
  bool indexed;                      // lists are indexed by it
  std::string_view index_condition;  // in words, when else they are
};

struct FieldAlias {
  std::string_view label;  // what clients may write; "a.*" stands for every label below a
  std::string_view target;
};

struct ColumnDesc {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view cell;
  int32_t priority;
};

struct ColumnsDesc {
  const MessageDesc* kind;  // cells are paths of this kind, whichever version a client asks for
  std::span<const ColumnDesc> columns;
  std::string_view extra_cell;  // of a cell that rows have beyond the columns; mostly empty
};

// --- resources

struct GroupVersionInfo;
struct ResourceDesc;

// What all versions of a resource share.
struct ResourceHub {
  const ResourceDesc* resource;  // in its preferred version
  const StorageDesc* storage;    // null: answered, never stored
  std::span<const SelectableField> selectable;
  std::span<const FieldAlias> field_aliases;
  std::string_view name_format;  // of metadata.name: "dns1123Subdomain"; empty: name_note or none
  std::string_view name_note;    // in words, a rule that code follows
  std::span<const std::string_view> immutable;        // paths that no update may change
  std::span<const std::string_view> immutable_notes;  // in words, the same with exceptions
  const ColumnsDesc* columns;                         // null: Name and Created At

  const SelectableField* FindSelectable(std::string_view label) const;
};

struct SubresourceDesc {
  std::string_view name;
  const MessageDesc* kind;
  VerbSet verbs;
  std::string_view gate;  // feature gate, or empty
};

// One resource in one version.
struct ResourceDesc {
  std::string_view name;      // "pods"
  std::string_view singular;  // "pod"
  const GroupVersionInfo* version;
  const MessageDesc* kind;
  std::string_view kind_name;    // as clients write it
  const MessageDesc* list_kind;  // null when it cannot be listed
  const ResourceHub* hub;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const SubresourceDesc> subresources;  // by name
  std::string_view storage_version_hash;
  std::string_view gate;     // feature gate, or empty
  std::string_view since;    // release that first served this version: "1.20"
  std::string_view removed;  // release that no longer will, or empty
  VerbSet verbs;
  bool namespaced;

  const SubresourceDesc* FindSubresource(std::string_view name) const;
};

// A version of a group that is served.
struct GroupVersionInfo {
  const GroupVersionDesc* desc;
  bool preferred;  // of its group
  bool enabled_by_default;
  int32_t group_priority;  // 0: the group has none (apiregistration)
  int32_t version_priority;
  std::span<const ResourceDesc> resources;  // by name

  const ResourceDesc* FindResource(std::string_view name) const;
};

// --- defaults

// Part of a rule's condition: a path that is set, is not, or has one of some values.
struct ConditionDesc {
  std::string_view path;
  bool negated;
  std::span<const std::string_view> values;
};

// Given when unset; [*] in a path is every item of a list, [r] every key of a map.
struct DefaultRuleDesc {
  std::string_view path;
  std::string_view value_json;  // a constant,
  std::string_view source;      // or the path of what is copied,
  std::string_view note;        // or, in words, what code computes
  std::string_view gate;
  std::span<const ConditionDesc> conditions;  // all must hold

  bool by_code() const { return value_json.empty() && source.empty(); }
};

// The rules of a message, in the order in which they apply. Constants of single fields are in
// FieldTraits::default_json.
struct DefaultsDesc {
  const MessageDesc* message;
  std::span<const DefaultRuleDesc> rules;
};

// --- generated tables

// In the order of discovery: groups by priority, versions of a group by priority.
std::span<const GroupVersionInfo> ServedGroupVersions();
// Both ascend by the path of the group-version and the name of the message.
std::span<const ColumnsDesc> AllColumns();
std::span<const DefaultsDesc> AllDefaults();

// --- look-ups, all null when there is no such thing

const GroupVersionInfo* FindGroupVersion(std::string_view group, std::string_view version);
// FindResource("apps", "v1", "deployments").
const ResourceDesc* FindResource(std::string_view group, std::string_view version,
                                 std::string_view resource);
// The resource in the first of the versions of its group, by priority, that serve it.
const ResourceDesc* FindPreferredResource(std::string_view group, std::string_view resource);
const ColumnsDesc* FindColumns(const MessageDesc* kind);
const DefaultsDesc* FindDefaults(const MessageDesc* message);

}  // namespace skiff::object
