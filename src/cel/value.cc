#include "cel/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "cel/document_view.h"
#include "cel/opaque.h"
#include "cel/schema_types.h"
#include "cel/types.h"
#include "cel/values/numbers.h"
#include "cel/values/strings.h"
#include "cel/values/time.h"

namespace skiff::cel {

Val Val::OptionalOf(Arena& arena, const Val& value) {
  return Pointer(Kind::kOptional, new (arena.Allocate(sizeof(Val), alignof(Val))) Val(value));
}
Val Val::List(const ListBlock* block, size_t size, const SchemaType* schema) {
  Val v = Pointer(Kind::kList, block);
  v.size_ = static_cast<uint32_t>(size);
  v.b_.pointer = schema;
  return v;
}
Val Val::Map(const MapBlock* block, size_t size) {
  Val v = Pointer(Kind::kMap, block);
  v.size_ = static_cast<uint32_t>(size);
  return v;
}
Val Val::Struct(const MapBlock* block, const Type* type) {
  Val v = Map(block, block->count);
  v.kind_ = Kind::kStruct;
  v.b_.pointer = type;
  return v;
}
Val Val::DocumentList(const object::Value* value, const SchemaType* schema) {
  Val v = Pointer(Kind::kList, value);
  v.b_.pointer = schema;
  v.in_document_ = true;
  return v;
}
Val Val::DocumentMap(const object::Value* value, const SchemaType* schema) {
  Val v = DocumentList(value, schema);
  v.kind_ = Kind::kMap;
  return v;
}

// ---- Lists.

size_t ListSize(const Val& list) {
  return list.in_document() ? list.document()->size() : list.raw_size();
}

Val ListAt(Arena& arena, const Val& list, size_t index) {
  if (!list.in_document()) return list.list_block()->items[index];
  const SchemaType* schema = list.schema();
  return FromDocument(arena, list.document()->items()[index],
                      schema == nullptr ? nullptr : schema->items);
}

ListBuilder::ListBuilder(Arena& arena, size_t expected) : arena_(arena) {
  block_ = new (arena.Allocate(sizeof(ListBlock), alignof(ListBlock))) ListBlock;
  block_->owner = &arena;
  if (expected > 0) {
    block_->items = arena.AllocateArray<Val>(expected);
    block_->capacity = static_cast<uint32_t>(expected);
  }
}

namespace {

template <typename Block, typename Item>
void PushBack(Arena& arena, Block& block, const Item& item) {
  if (block.count == block.capacity) {
    const uint32_t capacity = std::max<uint32_t>(4, block.capacity * 2);
    Item* items = arena.AllocateArray<Item>(capacity);
    std::copy_n(block.items, block.count, items);
    block.items = items;
    block.capacity = capacity;
  }
  new (&block.items[block.count++]) Item(item);
}

}  // namespace

void ListBuilder::Add(const Val& item) { PushBack(arena_, *block_, item); }

Val ListAppend(Arena& arena, const Val& list, const Val& item) {
  if (!list.in_document()) {
    // Whoever holds the shorter list does not see what comes behind its end.
    auto* block = const_cast<ListBlock*>(list.list_block());
    if (block->owner == &arena && block->count == list.raw_size()) {
      PushBack(arena, *block, item);
      return Val::List(block, block->count, list.schema());
    }
  }
  const size_t size = ListSize(list);
  ListBuilder copy(arena, std::max<size_t>(4, size * 2));
  for (size_t i = 0; i < size; ++i) copy.Add(ListAt(arena, list, i));
  copy.Add(item);
  return copy.Done();
}

Val ListContains(Arena& arena, const Val& list, const Val& item) {
  Val error;
  for (size_t i = 0; i < ListSize(list); ++i) {
    const Val equal = EqualVals(arena, ListAt(arena, list, i), item);
    if (equal.is_true()) return equal;
    if (equal.is_error() && list.schema() != nullptr) error = equal;
  }
  return error.is_error() ? error : Val::Bool(false);
}

// ---- Maps.

namespace {

constexpr uint32_t kIndexFrom = 9;  // fewer entries are searched one by one

// Numbers that are equal have one hash.
size_t HashKey(const Val& key) {
  switch (key.kind()) {
    case Kind::kString:
      return std::hash<std::string_view>()(key.AsText());
    case Kind::kBool:
      return key.AsBool() ? 3 : 5;
    case Kind::kInt:
      return std::hash<double>()(static_cast<double>(key.AsInt()));
    case Kind::kUint:
      return std::hash<double>()(static_cast<double>(key.AsUint()));
    case Kind::kDouble:
      return std::hash<double>()(key.AsDouble());
    default:
      return 7;
  }
}

bool SameKey(const Val& a, const Val& b) {
  if (a.kind() == Kind::kString && b.kind() == Kind::kString) return a.AsText() == b.AsText();
  if (a.kind() == Kind::kBool && b.kind() == Kind::kBool) return a.AsBool() == b.AsBool();
  if (a.kind() == Kind::kString || b.kind() == Kind::kString) return false;
  if (a.kind() == Kind::kBool || b.kind() == Kind::kBool) return false;
  return Compare(a, b) == 0;
}

void BuildIndex(Arena& arena, MapBlock& block, uint32_t size) {
  block.index_size = std::bit_ceil(size * 2);
  block.index = arena.AllocateArray<uint32_t>(block.index_size);
  std::fill_n(block.index, block.index_size, 0u);
  for (uint32_t i = 0; i < block.count; ++i) {
    size_t at = HashKey(block.items[i].key) & (block.index_size - 1);
    while (block.index[at] != 0) at = (at + 1) & (block.index_size - 1);
    block.index[at] = i + 1;
  }
}

// The place of a key among the first `size` items, or `size`.
uint32_t FindKey(const MapBlock& block, uint32_t size, const Val& key) {
  if (block.index == nullptr) {
    for (uint32_t i = 0; i < size; ++i) {
      if (SameKey(block.items[i].key, key)) return i;
    }
    return size;
  }
  for (size_t at = HashKey(key) & (block.index_size - 1); block.index[at] != 0;
       at = (at + 1) & (block.index_size - 1)) {
    const uint32_t place = block.index[at] - 1;
    if (place < size && SameKey(block.items[place].key, key)) return place;
  }
  return size;
}

void AddEntry(Arena& arena, MapBlock& block, const Val& key, const Val& value) {
  PushBack(arena, block, MapItem{key, value});
  if (block.count < kIndexFrom) return;
  if (block.index == nullptr || block.count * 2 > block.index_size) {
    BuildIndex(arena, block, std::max(block.capacity, kIndexFrom));
    return;
  }
  size_t at = HashKey(key) & (block.index_size - 1);
  while (block.index[at] != 0) at = (at + 1) & (block.index_size - 1);
  block.index[at] = block.count;
}

}  // namespace

MapBuilder::MapBuilder(Arena& arena, size_t expected) : arena_(arena) {
  block_ = new (arena.Allocate(sizeof(MapBlock), alignof(MapBlock))) MapBlock;
  block_->owner = &arena;
  if (expected > 0) {
    block_->items = arena.AllocateArray<MapItem>(expected);
    block_->capacity = static_cast<uint32_t>(expected);
  }
}

void MapBuilder::Set(const Val& key, const Val& value) {
  const uint32_t place = FindKey(*block_, block_->count, key);
  // A literal may have 1 and 1.0 as keys, which are found as the same.
  if (place < block_->count && block_->items[place].key.kind() == key.kind()) {
    block_->items[place].value = value;
  } else {
    AddEntry(arena_, *block_, key, value);
  }
}

void MapBuilder::SetFallback(const Val& value) {
  block_->fallback = new (arena_.Allocate(sizeof(Val), alignof(Val))) Val(value);
}

void MapBuilder::Erase(const Val& key) {
  const uint32_t place = FindKey(*block_, block_->count, key);
  if (place == block_->count) return;
  std::copy(block_->items + place + 1, block_->items + block_->count, block_->items + place);
  --block_->count;
  if (block_->index != nullptr) BuildIndex(arena_, *block_, block_->capacity);
}

size_t MapSize(const Val& map) { return map.in_document() ? DocumentMapSize(map) : map.raw_size(); }

MapItem MapAt(Arena& arena, const Val& map, size_t index) {
  if (map.in_document()) return DocumentMapAt(arena, map, index);
  return map.map_block()->items[index];
}

Val MapFind(Arena& arena, const Val& map, const Val& key) {
  if (map.in_document()) return DocumentMapFind(arena, map, key);
  const MapBlock& block = *map.map_block();
  if (block.computed != nullptr) [[unlikely]] {
    return key.is_string() ? block.computed->FindMember(key.AsText()) : Val();
  }
  const uint32_t place = FindKey(block, map.raw_size(), key);
  return place < map.raw_size() ? block.items[place].value : Val();
}

Val MapInsert(Arena& arena, const Val& map, const Val& key, const Val& value) {
  if (MapFind(arena, map, key).kind() != Kind::kUnset) return {};
  if (!map.in_document()) {
    auto* block = const_cast<MapBlock*>(map.map_block());
    if (block->owner == &arena && block->count == map.raw_size()) {
      AddEntry(arena, *block, key, value);
      return Val::Map(block, block->count);
    }
  }
  const size_t size = MapSize(map);
  MapBuilder copy(arena, std::max<size_t>(4, size * 2));
  for (size_t i = 0; i < size; ++i) {
    const MapItem item = MapAt(arena, map, i);
    copy.Set(item.key, item.value);
  }
  copy.Set(key, value);
  return copy.Done();
}

// ---- All kinds.

std::string_view TypeNameOf(const Val& value) {
  switch (value.kind()) {
    case Kind::kUnset:
    case Kind::kError:
      return "error";
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kTimestamp:
      return types::kTimestamp.name;
    case Kind::kDuration:
      return types::kDuration.name;
    case Kind::kType:
      return "type";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kStruct:
      return value.struct_type()->name;
    case Kind::kOptional:
      return "optional_type";
    case Kind::kOpaque:
      return value.AsOpaque()->type->name;
  }
  return {};
}

bool HasOrder(const Val& v) {
  switch (v.kind()) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kTimestamp:
    case Kind::kDuration:
      return true;
    default:
      return false;
  }
}

const Type* RuntimeType(const Val& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return &types::kNull;
    case Kind::kBool:
      return &types::kBool;
    case Kind::kInt:
      return &types::kInt;
    case Kind::kUint:
      return &types::kUint;
    case Kind::kDouble:
      return &types::kDouble;
    case Kind::kString:
      return &types::kString;
    case Kind::kBytes:
      return &types::kBytes;
    case Kind::kTimestamp:
      return &types::kTimestamp;
    case Kind::kDuration:
      return &types::kDuration;
    case Kind::kType:
      return &types::kTypeType;
    case Kind::kList:
      return &types::kListDyn;
    case Kind::kMap:
      return &types::kMapDyn;
    case Kind::kStruct:
      return value.struct_type();
    case Kind::kOptional:
      return &types::kOptionalDyn;
    case Kind::kOpaque:
      return value.AsOpaque()->type;
    default:
      return &types::kError;
  }
}

std::string_view GoTypeNameOf(const Val& value) {
  switch (value.kind()) {
    case Kind::kUnset:
    case Kind::kError:
      return "*types.Err";
    case Kind::kNull:
      return "types.Null";
    case Kind::kBool:
      return "types.Bool";
    case Kind::kInt:
      return "types.Int";
    case Kind::kUint:
      return "types.Uint";
    case Kind::kDouble:
      return "types.Double";
    case Kind::kString:
      return "types.String";
    case Kind::kBytes:
      return "types.Bytes";
    case Kind::kTimestamp:
      return "types.Timestamp";
    case Kind::kDuration:
      return "types.Duration";
    case Kind::kType:
      return "*types.Type";
    case Kind::kList:
      return "*types.baseList";
    case Kind::kMap:
      return "*types.baseMap";
    case Kind::kStruct:
      return "*types.protoObj";
    case Kind::kOptional:
      return "*types.Optional";
    case Kind::kOpaque:
      return OpaqueGoName(*value.AsOpaque());
  }
  return {};
}

uint64_t SizeOf(const Val& value) {
  switch (value.kind()) {
    case Kind::kString:
      return CodePointCount(value.AsText());
    case Kind::kBytes:
      return value.raw_size();
    case Kind::kList:
      return ListSize(value);
    case Kind::kMap:
      return MapSize(value);
    case Kind::kOptional:
      return value.AsOptional() == nullptr ? 1 : SizeOf(*value.AsOptional());
    case Kind::kOpaque:
      return OpaqueSize(*value.AsOpaque());
    default:
      return 1;
  }
}

std::optional<int> Compare(const Val& a, const Val& b, bool* nan) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  const auto partial = [&](std::partial_ordering o) -> std::optional<int> {
    if (o == std::partial_ordering::unordered) {
      if (nan != nullptr) *nan = true;
      return {};
    }
    return o < 0 ? -1 : o > 0 ? 1 : 0;
  };
  const auto reverse = [](std::optional<int> o) -> std::optional<int> {
    if (o) return -*o;
    return o;
  };
  const Kind right = b.kind();
  switch (a.kind()) {
    case Kind::kInt:
      if (right == Kind::kInt) return order(a.AsInt(), b.AsInt());
      if (right == Kind::kUint) return partial(Compare(a.AsInt(), b.AsUint()));
      if (right == Kind::kDouble) return partial(Compare(a.AsInt(), b.AsDouble()));
      return {};
    case Kind::kUint:
      if (right == Kind::kUint) return order(a.AsUint(), b.AsUint());
      if (right == Kind::kInt) return reverse(partial(Compare(b.AsInt(), a.AsUint())));
      if (right == Kind::kDouble) return partial(Compare(a.AsUint(), b.AsDouble()));
      return {};
    case Kind::kDouble:
      if (right == Kind::kDouble) return partial(a.AsDouble() <=> b.AsDouble());
      if (right == Kind::kInt) return reverse(partial(Compare(b.AsInt(), a.AsDouble())));
      if (right == Kind::kUint) return reverse(partial(Compare(b.AsUint(), a.AsDouble())));
      if (nan != nullptr) *nan = std::isnan(a.AsDouble());
      return {};
    default:
      break;
  }
  if (a.kind() != right) return {};
  switch (right) {
    case Kind::kBool:
      return order(a.AsBool(), b.AsBool());
    case Kind::kString:
    case Kind::kBytes:
      return order(a.AsText(), b.AsText());
    case Kind::kTimestamp:
      return order(a.AsTime(), b.AsTime());
    case Kind::kDuration:
      return order(a.AsInt(), b.AsInt());
    default:
      return {};
  }
}

namespace {

Val NoOverload() { return Val::ErrorLiteral("no such overload"); }

bool IsNumber(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble;
}

// A map by the items or the keys of a list: its places. Items that are neither numbers, texts nor
// bools are told apart by their text.
Val KeyOf(Arena& arena, const SchemaType& schema, const Val& item) {
  const auto text = [&](const Val& value) {
    return std::string(TypeNameOf(value)) + ":" + GoText(arena, value);
  };
  if (schema.list_type == SchemaType::ListType::kSet) {
    return Val::String(arena.Copy(text(item)));
  }
  std::string all;
  for (const std::string_view key : schema.list_keys) {
    const Val value = item.kind() == Kind::kMap ? MapFind(arena, item, Val::String(key)) : Val();
    const std::string one = value.kind() == Kind::kUnset ? std::string() : text(value);
    all += std::to_string(one.size()) + ":" + one;
  }
  return Val::String(arena.Copy(all));
}
MapBuilder PlacesOf(Arena& arena, const Val& list) {
  const size_t size = ListSize(list);
  MapBuilder places(arena, size);
  for (size_t i = 0; i < size; ++i) {
    places.Set(KeyOf(arena, *list.schema(), ListAt(arena, list, i)),
               Val::Int(static_cast<int64_t>(i)));
  }
  return places;
}

// Every item of the other is here, whatever the order.
Val EqualByKeys(Arena& arena, const Val& list, const Val& other) {
  const Val places = PlacesOf(arena, list).Done();
  for (size_t i = 0; i < ListSize(other); ++i) {
    const Val item = ListAt(arena, other, i);
    const Val place = MapFind(arena, places, KeyOf(arena, *list.schema(), item));
    if (place.kind() == Kind::kUnset) return Val::Bool(false);
    const Val mine = ListAt(arena, list, static_cast<size_t>(place.AsInt()));
    const Val equal = EqualVals(arena, mine, item);
    if (!equal.is_true()) return equal;
  }
  return Val::Bool(true);
}

Val EqualLists(Arena& arena, const Val& a, const Val& b) {
  if (b.kind() != Kind::kList) return a.schema() != nullptr ? NoOverload() : Val::Bool(false);
  const size_t size = ListSize(a);
  if (size != ListSize(b)) return Val::Bool(false);
  if (const SchemaType* schema = a.schema()) {
    if (schema->list_type != SchemaType::ListType::kAtomic) return EqualByKeys(arena, a, b);
  }
  for (size_t i = 0; i < size; ++i) {
    const Val equal = EqualVals(arena, ListAt(arena, a, i), ListAt(arena, b, i));
    if (!equal.is_true()) return a.schema() != nullptr ? equal : Val::Bool(false);
  }
  return Val::Bool(true);
}

Val EqualMaps(Arena& arena, const Val& a, const Val& b) {
  if (a.in_document() && a.schema() != nullptr) return DocumentMapEqual(arena, a, b);
  if (b.kind() != Kind::kMap) return Val::Bool(false);
  const size_t size = MapSize(a);
  if (size != MapSize(b)) return Val::Bool(false);
  for (size_t i = 0; i < size; ++i) {
    const MapItem item = MapAt(arena, a, i);
    const Val other = MapFind(arena, b, item.key);
    if (other.kind() == Kind::kUnset || !Equal(arena, item.value, other)) return Val::Bool(false);
  }
  return Val::Bool(true);
}

}  // namespace

Val EqualVals(Arena& arena, const Val& a, const Val& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (a.kind() == Kind::kNull || b.kind() == Kind::kNull) {
    return Val::Bool(a.kind() == b.kind());
  }
  if (IsNumber(a.kind()) && IsNumber(b.kind())) return Val::Bool(Compare(a, b) == 0);
  switch (a.kind()) {
    case Kind::kList:
      return EqualLists(arena, a, b);
    case Kind::kMap:
      return EqualMaps(arena, a, b);
    case Kind::kOpaque:
      return EqualOpaque(a, b);
    case Kind::kOptional: {
      if (b.kind() != Kind::kOptional) return Val::Bool(false);
      const Val* x = a.AsOptional();
      const Val* y = b.AsOptional();
      if (x == nullptr || y == nullptr) return Val::Bool(x == y);
      return EqualVals(arena, *x, *y);
    }
    case Kind::kType:
      return Val::Bool(b.kind() == Kind::kType && a.AsType()->name == b.AsType()->name);
    case Kind::kStruct: {
      if (b.kind() != Kind::kStruct || a.struct_type()->name != b.struct_type()->name ||
          a.raw_size() != b.raw_size()) {
        return Val::Bool(false);
      }
      return EqualMaps(arena, Val::Map(a.map_block(), a.raw_size()),
                       Val::Map(b.map_block(), b.raw_size()));
    }
    default:
      return Val::Bool(a.kind() == b.kind() && Compare(a, b) == 0);
  }
}

Val AddLists(Arena& arena, const Val& a, const Val& b) {
  const size_t left = ListSize(a);
  const size_t right = ListSize(b);
  const SchemaType* schema = a.schema();
  const bool keyed = schema != nullptr && schema->list_type != SchemaType::ListType::kAtomic;
  if (right == 1 && !keyed) return ListAppend(arena, a, ListAt(arena, b, 0));
  ListBuilder sum(arena, std::max<size_t>(4, left + right));
  for (size_t i = 0; i < left; ++i) sum.Add(ListAt(arena, a, i));
  if (!keyed) {
    for (size_t i = 0; i < right; ++i) sum.Add(ListAt(arena, b, i));
    return Val::List(sum.Done().list_block(), sum.size(), schema);
  }
  MapBuilder places = PlacesOf(arena, a);
  for (size_t i = 0; i < right; ++i) {
    const Val item = ListAt(arena, b, i);
    const Val key = KeyOf(arena, *schema, item);
    const Val place = MapFind(arena, places.Done(), key);
    if (place.kind() == Kind::kUnset) {
      places.Set(key, Val::Int(static_cast<int64_t>(sum.size())));
      sum.Add(item);
    } else if (schema->list_type == SchemaType::ListType::kMap) {
      const_cast<ListBlock*>(sum.Done().list_block())->items[place.AsInt()] = item;
    }
  }
  return Val::List(sum.Done().list_block(), sum.size(), schema);
}

bool IsZeroValue(const Val& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return value.AsInt() == 0;
    case Kind::kDouble:
      return value.AsDouble() == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.raw_size() == 0;
    case Kind::kTimestamp:
      return object::IsZero(value.AsTime());
    case Kind::kList:
      return ListSize(value) == 0;
    case Kind::kMap:
      return MapSize(value) == 0;
    case Kind::kStruct:
      return value.raw_size() == 0;
    default:
      return false;
  }
}

std::string GoText(Arena& arena, const Val& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.AsBool() ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.AsInt());
    case Kind::kUint:
      return std::to_string(value.AsUint());
    case Kind::kDouble:
      return Text(value.AsDouble());
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kError:
      return std::string(value.AsText());
    case Kind::kDuration:
      return DurationText(value.AsInt());
    case Kind::kTimestamp:
      return Text(ZonedTime{value.AsTime(), value.time_offset()});
    case Kind::kType:
      return std::string(value.AsType()->name);
    case Kind::kOptional:
      return value.AsOptional() == nullptr ? "optional.none()"
                                           : "optional(" + GoText(arena, *value.AsOptional()) + ")";
    case Kind::kList: {
      std::string out = "[";
      for (size_t i = 0; i < ListSize(value); ++i) {
        if (i > 0) out += ", ";
        out += GoText(arena, ListAt(arena, value, i));
      }
      return out + "]";
    }
    case Kind::kMap:
    case Kind::kStruct: {
      std::string out = "{";
      for (size_t i = 0; i < MapSize(value); ++i) {
        const MapItem item = MapAt(arena, value, i);
        if (i > 0) out += ", ";
        out += GoText(arena, item.key) + ": " + GoText(arena, item.value);
      }
      return out + "}";
    }
    default:
      return std::string(TypeNameOf(value));
  }
}

}  // namespace skiff::cel
