#include "object/fields/merge.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "object/fields/list_items.h"
#include "object/fields/members.h"

namespace skiff::object {
namespace {

class Merger {
 public:
  explicit Merger(Arena& arena) : arena_(arena) {}

  MergedValue Merge(const FieldShape& shape, const Value& live, const Value& config) {
    if (shape.atomic()) return Leaf(shape, live, config);
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        return MergeStruct(shape, live, config);
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kOpen:
        return MergeMap(shape, live, config);
      case FieldShape::Kind::kList:
        return MergeList(shape, live, config);
      case FieldShape::Kind::kDeduced:
        if (live.is_map() && config.is_map()) return MergeMap(shape, live, config);
        break;
      case FieldShape::Kind::kScalar:
      case FieldShape::Kind::kUnknown:
        break;
    }
    return Leaf(shape, live, config);
  }

 private:
  MergedValue Leaf(const FieldShape& shape, const Value& live, const Value& config) {
    if (SameInJson(arena_, shape, live, config)) return {live, false};
    return {config, true};
  }

  MergedValue MergeStruct(const FieldShape& shape, const Value& live, const Value& config) {
    if (ShowsNothing(arena_, shape, config)) {
      return ShowsNothing(arena_, shape, live) ? Leaf(shape, live, config)
                                               : MergedValue{live, false};
    }
    const MessageDesc& type = *shape.message();
    Value out = live;
    bool copied = false;
    ForEachShown(arena_, type, config, [&](uint16_t index, const Value& wanted) {
      const std::optional<Value> there = ShownMember(arena_, live, type, index);
      MergedValue merged{wanted, true};
      if (there) merged = Merge(FieldShape::OfField(type.fields[index]), *there, wanted);
      if (!merged.changed) return;
      if (!copied) {
        copied = true;
        out = Value::Object(arena_, &type,
                            live.is_object() ? live.members() : std::span<const Value>());
      }
      out.SetMember(arena_, index, merged.value);
    });
    return {out.WithField(live.field()), copied};
  }

  MergedValue MergeMap(const FieldShape& shape, const Value& live, const Value& config) {
    if (config.size() == 0) {
      return live.size() == 0 ? Leaf(shape, live, config) : MergedValue{live, false};
    }
    const std::span<const MapEntry> there =
        live.is_map() ? live.entries() : std::span<const MapEntry>();
    std::vector<MapEntry> out;
    out.reserve(there.size() + config.size());
    bool changed = false;
    auto next = there.begin();
    for (const MapEntry& entry : config.entries()) {
      for (; next != there.end() && next->key < entry.key; ++next) out.push_back(*next);
      MergedValue merged{entry.value, true};
      if (next != there.end() && next->key == entry.key) {
        merged = Merge(shape.Entry(entry.key), (next++)->value, entry.value);
      }
      changed = changed || merged.changed;
      out.push_back({entry.key, merged.value});
    }
    if (!changed) return {live, false};
    out.insert(out.end(), next, there.end());
    return {Value::Map(arena_, out).WithField(live.field()), true};
  }

  MergedValue MergeList(const FieldShape& list, const Value& live, const Value& config) {
    if (config.size() == 0) {
      return live.size() == 0 ? Leaf(list, live, config) : MergedValue{live, false};
    }
    const std::span<const PathElement> wanted = ItemElements(arena_, list, config);
    const std::span<const PathElement> there = ItemElements(arena_, list, live);
    if (there.empty()) return {config, true};
    if (there.size() == wanted.size() &&
        std::equal(there.begin(), there.end(), wanted.begin(), SamePathElement)) {
      return MergeInStep(list, live, config);
    }
    return ListMerge(*this, list, live, there, config, wanted).Run();
  }

  // The same items in the same order: the usual case.
  MergedValue MergeInStep(const FieldShape& list, const Value& live, const Value& config) {
    const FieldShape item = list.Element();
    Value out = live;
    bool copied = false;
    for (size_t i = 0; i < live.size(); ++i) {
      const MergedValue merged = Merge(item, live.items()[i], config.items()[i]);
      if (!merged.changed) continue;
      if (!copied) {
        copied = true;
        out = Value::List(arena_, live.items());
      }
      out.items()[i] = merged.value;
    }
    return {out.WithField(live.field()), copied};
  }

  // Two lists that differ in their items. Goes along both; what they share comes in the order of
  // the configuration.
  class ListMerge {
   public:
    ListMerge(Merger& merger, const FieldShape& list, const Value& live,
              std::span<const PathElement> there, const Value& config,
              std::span<const PathElement> wanted)
        : merger_(merger),
          item_(list.Element()),
          live_(live),
          there_(there),
          there_index_(merger.arena_, there),
          config_(config),
          wanted_(wanted),
          wanted_index_(merger.arena_, wanted),
          merged_(wanted.size(), false) {
      for (uint32_t i = 0; i < wanted.size(); ++i) {
        if (there_index_.Find(wanted[i]) != ItemIndex::kNone) shared_.push_back(i);
      }
    }

    MergedValue Run() {
      size_t l = 0;
      size_t w = 0;
      while (l < there_.size() || w < wanted_.size()) {
        if (l < there_.size() && w < wanted_.size()) {
          if (SamePathElement(there_[l], wanted_[w])) {
            TakeWanted(w++);
            ++l;
            ++next_shared_;
            continue;
          }
          if (IsWanted(l) && next_shared_ < shared_.size() &&
              !SamePathElement(wanted_[shared_[next_shared_]], there_[l])) {
            ++l;  // shared, but another one is to come first
            continue;
          }
        }
        if (l < there_.size()) {
          if (!IsWanted(l)) {
            Emit(live_.items()[l], static_cast<uint32_t>(l), false);
            ++l;
            continue;
          }
          if (merged_[wanted_index_.Find(there_[l])]) ++l;
        }
        if (w < wanted_.size()) {
          const bool is_next = next_shared_ < shared_.size() && shared_[next_shared_] == w;
          TakeWanted(w++);
          if (is_next) ++next_shared_;
        }
      }
      if (!changed_ && out_.size() == live_.size()) return {live_, false};
      return {Value::List(merger_.arena_, out_).WithField(live_.field()), true};
    }

   private:
    bool IsWanted(size_t l) const { return wanted_index_.Find(there_[l]) != ItemIndex::kNone; }

    void TakeWanted(size_t w) {
      merged_[w] = true;
      const uint32_t place = there_index_.Find(wanted_[w]);
      // Of several like it, none is the one to merge with.
      if (place == ItemIndex::kNone || there_index_.Count(wanted_[w]) > 1) {
        return Emit(config_.items()[w], ItemIndex::kNone, true);
      }
      const MergedValue merged = merger_.Merge(item_, live_.items()[place], config_.items()[w]);
      Emit(merged.value, place, merged.changed);
    }

    void Emit(const Value& value, uint32_t place, bool changed) {
      changed_ = changed_ || changed || place != out_.size();
      out_.push_back(value);
    }

    Merger& merger_;
    const FieldShape item_;
    const Value& live_;
    std::span<const PathElement> there_;
    ItemIndex there_index_;
    const Value& config_;
    std::span<const PathElement> wanted_;
    ItemIndex wanted_index_;
    std::vector<bool> merged_;      // items of the configuration that are in `out_`
    std::vector<uint32_t> shared_;  // items of the configuration that are there already
    size_t next_shared_ = 0;
    std::vector<Value> out_;
    bool changed_ = false;
  };

  Arena& arena_;
};

class Remover {
 public:
  explicit Remover(Arena& arena) : arena_(arena) {}

  Value Remove(const FieldShape& shape, const Value& value, const FieldSet& fields) {
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
        if (value.size() == 0 || shape.atomic()) return {};
        return value.is_map() ? FromMap(shape, value, fields) : FromStruct(shape, value, fields);
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kOpen:
        if (value.size() == 0 || shape.atomic()) return {};
        return FromMap(shape, value, fields);
      case FieldShape::Kind::kList:
        if (value.size() == 0 || shape.atomic()) return {};
        return FromList(shape, value, fields);
      case FieldShape::Kind::kDeduced:
        return value.is_map() && value.size() != 0 ? FromMap(shape, value, fields) : value;
      case FieldShape::Kind::kScalar:
      case FieldShape::Kind::kUnknown:
        break;
    }
    return value;
  }

 private:
  // The member or item after the removal; nothing if it goes as a whole.
  std::optional<Value> Keep(const FieldShape& shape, const Value& value, const PathElement& element,
                            const FieldSet& fields) {
    const FieldNode* node = fields.Find(element);
    if (node == nullptr) return value;
    if (node->member) return std::nullopt;
    return Remove(shape, value, node->children).WithField(value.field());
  }

  Value FromStruct(const FieldShape& shape, const Value& value, const FieldSet& fields) {
    const MessageDesc& type = *shape.message();
    std::vector<Value> members;
    for (const Value& member : value.members()) {
      const FieldDesc& field = type.fields[member.field()];
      const std::optional<Value> kept =
          Keep(FieldShape::OfField(field), member, PathElement::Field(field.name()), fields);
      if (kept) members.push_back(*kept);
    }
    if (members.empty()) return {};
    return Value::Object(arena_, &type, members);
  }

  Value FromMap(const FieldShape& shape, const Value& value, const FieldSet& fields) {
    std::vector<MapEntry> entries;
    for (const MapEntry& entry : value.entries()) {
      const std::optional<Value> kept =
          Keep(shape.Entry(entry.key), entry.value, PathElement::Field(entry.key), fields);
      if (kept) entries.push_back({entry.key, *kept});
    }
    return entries.empty() ? Value() : Value::Map(arena_, entries);
  }

  Value FromList(const FieldShape& shape, const Value& value, const FieldSet& fields) {
    const std::span<const PathElement> elements = ItemElements(arena_, shape, value);
    const FieldShape item = shape.Element();
    std::vector<Value> items;
    for (size_t i = 0; i < elements.size(); ++i) {
      const std::optional<Value> kept = Keep(item, value.items()[i], elements[i], fields);
      if (kept) items.push_back(*kept);
    }
    return items.empty() ? Value() : Value::List(arena_, items);
  }

  Arena& arena_;
};

}  // namespace

MergedValue MergeConfiguration(Arena& arena, const FieldShape& shape, const Value& live,
                               const Value& config) {
  return Merger(arena).Merge(shape, live, config);
}

Value WithoutFields(Arena& arena, const FieldShape& shape, const Value& value,
                    const FieldSet& fields) {
  if (fields.empty()) return value;
  return Remover(arena).Remove(shape, value, fields);
}

}  // namespace skiff::object
