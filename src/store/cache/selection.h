// Which objects of a resource a list or a watch is about: a scope (all, a namespace, one name) and
// selectors. Selectors are bound once, labels to symbols and fields to places in the entries, and
// then matched without parsing anything.
//
// Threads: immutable once bound; any thread may match.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"
#include "object/selector/label_set.h"
#include "store/cache/entry.h"

namespace skiff::store {

// Fields that an object's key tells, so that they take no place in the entry.
inline constexpr std::string_view kNameField = "metadata.name";
inline constexpr std::string_view kNamespaceField = "metadata.namespace";

// What entries of a resource look like.
struct EntryShape {
  bool namespaced = true;
  std::vector<size_t> indexed;  // fields by which objects and watches are found without a search
  // The place in entries of the field of this name, if there is one.
  std::function<std::optional<size_t>(std::string_view)> find_field;
};

struct SelectionRequest {
  std::string name_space = {};  // empty: all of them
  std::string name = {};        // empty: all of them
  object::LabelSelector labels = object::LabelSelector::Everything();
  object::FieldSelector fields = object::FieldSelector::Everything();
};

// Something that a selector asks for and that entries can be looked up by (selector_index.h).
struct Lookup {
  enum class Kind : uint8_t {
    kLabelValue,  // the label has one of the values
    kLabelKey,    // the label is there
    kField,       // the field has the value
    kName,        // the object has the name, in whatever namespace
  };
  struct Place {
    Kind kind;
    std::string label = {};  // its key
    size_t field = 0;        // its place in entries
    friend bool operator==(const Place&, const Place&) = default;
  };
  Place place;
  std::vector<std::string> values;  // each once; of kLabelKey one, which is empty
};

class Selection {
 public:
  // kBadRequest for a field that the shape does not have.
  static Result<Selection> Bind(SelectionRequest request, const EntryShape& shape,
                                object::SymbolTable& symbols);

  // An object in scope that cannot be read matches every selector.
  bool Matches(const CacheEntry& entry) const;
  // Read what Matches() will, in two steps, into the processor's cache.
  void Prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 128);
  }
  void PrefetchLabels() const {
    if (labels_) labels_->Prefetch();
  }
  // Whether there are no selectors.
  bool unfiltered() const { return unfiltered_; }
  // Whether every object whose key lies in the range matches.
  bool whole_range() const {
    return unfiltered_ && !matches_nothing_ && (single_ || name_.empty());
  }
  // Nothing in scope can match.
  bool matches_nothing() const { return matches_nothing_; }

  // Two selections of one resource that have the same match the same. For people, too.
  const std::string& identity() const { return identity_; }

  // The scope: requested, or asked for by the field selector.
  const std::string& name_space() const { return name_space_; }
  const std::string& name() const { return name_; }
  // Whether the scope is a single key, and which.
  bool single() const { return single_; }
  const std::string& key() const { return range_from_; }
  // The keys that are in scope all lie in this range. A name in all namespaces does not bound it.
  std::string_view range_from() const { return range_from_; }
  std::string_view range_to() const { return range_to_; }
  // What continue tokens are relative to: the namespace that the client listed, or nothing.
  const std::string& page_prefix() const { return page_prefix_; }

  // An indexed field that the selector wants to have one value.
  struct IndexedValue {
    size_t index;  // in EntryShape::indexed
    std::string value;
  };
  const std::optional<IndexedValue>& indexed() const { return indexed_; }
  // What every match must have; none if the scope is a single key.
  const std::vector<Lookup>& lookups() const { return lookups_; }

 private:
  struct Term {
    size_t field;
    std::string value;
    bool negated;
  };

  Result<void> BindFields(const object::FieldSelector& selector, const EntryShape& shape);
  void BindTerm(const object::FieldTerm& term, size_t field, const EntryShape& shape);
  // A term on the name or namespace, which may narrow the scope.
  void BindKeyTerm(const object::FieldTerm& term, std::string& scope);
  void BindScope(const EntryShape& shape);
  void BindLookups(const object::LabelSelector& labels);
  bool MatchesScope(const CacheEntry& entry) const;

  // What matching reads comes first.
  bool single_ = false;
  bool scoped_ = false;  // by key, namespace or name
  bool unfiltered_ = true;
  bool matches_nothing_ = false;
  std::optional<object::BoundSelector> labels_;
  std::vector<Term> terms_;
  std::vector<object::FieldTerm> key_terms_;  // on name and namespace, negated
  std::string range_from_;
  std::string name_;
  std::string range_to_;
  std::string name_space_;
  std::string page_prefix_;
  std::string identity_;
  std::optional<IndexedValue> indexed_;
  std::vector<Lookup> lookups_;
};

}  // namespace skiff::store
