#include "object/view.h"

namespace skiff::object {

// --- reading

static IntOrStringValue ReadIntOrString(const Value& value) {
  if (value.is_string()) return {true, 0, value.AsText()};
  return {false, static_cast<int32_t>(value.AsInt()), {}};
}

IntOrStringValue View::IntOrString(uint16_t field) const {
  const Value* v = Get(field);
  return v != nullptr ? ReadIntOrString(*v) : IntOrStringValue();
}

template <typename T>
static std::optional<T> OptionalAs(const Value* value) {
  if (value == nullptr) return std::nullopt;
  return ElementAs<T>(value);
}

std::optional<std::string_view> View::OptionalText(uint16_t field) const {
  return OptionalAs<std::string_view>(Get(field));
}
std::optional<bool> View::OptionalBool(uint16_t field) const {
  return OptionalAs<bool>(Get(field));
}
std::optional<int64_t> View::OptionalInt(uint16_t field) const {
  return OptionalAs<int64_t>(Get(field));
}
std::optional<int32_t> View::OptionalInt32(uint16_t field) const {
  return OptionalAs<int32_t>(Get(field));
}
std::optional<uint64_t> View::OptionalUint(uint16_t field) const {
  return OptionalAs<uint64_t>(Get(field));
}
std::optional<double> View::OptionalDouble(uint16_t field) const {
  return OptionalAs<double>(Get(field));
}
std::optional<Timestamp> View::OptionalTime(uint16_t field) const {
  return OptionalAs<Timestamp>(Get(field));
}
std::optional<IntOrStringValue> View::OptionalIntOrString(uint16_t field) const {
  const Value* v = Get(field);
  if (v == nullptr) return std::nullopt;
  return ReadIntOrString(*v);
}

Document NewDocument(const MessageDesc* type, std::string_view kind) {
  assert(type->is_kind);
  Document document = Document::OfType(type);
  Arena& arena = document.arena();
  document.root().SetMember(arena, 0, Value::String(arena.Copy(kind)));
  document.root().SetMember(arena, 1, Value::String(type->group_version->api_version));
  return document;
}

// --- places

struct MutablePlace::Step {
  enum Kind : uint8_t { kRoot, kField, kItem, kEntry };

  const Step* parent;
  union {
    Value* root;      // kRoot
    uint64_t index;   // kItem
    const char* key;  // kEntry
  };
  uint32_t key_size;
  uint16_t field;
  Kind kind;

  Value& Find(Arena& owner) const;
};

static const FieldDesc& Desc(const Value& object, uint16_t field) {
  return object.type()->fields[field];
}

static Value& MemberOr(Arena& arena, Value& object, uint16_t field, Value fallback) {
  Value* present = object.Member(field);
  return present != nullptr ? *present : object.SetMember(arena, field, fallback);
}

static Value& MessageAt(Arena& arena, Value& object, uint16_t field) {
  if (Value* present = object.Member(field)) return *present;
  return object.SetMember(arena, field, Value::EmptyObject(arena, Desc(object, field).message));
}

static Value& EntryAt(Arena& arena, Value& object, uint16_t field, std::string_view key) {
  Value& map = MemberOr(arena, object, field, Value::EmptyMap());
  if (Value* present = map.Find(key)) return *present;
  return map.SetEntry(arena, key, Value::EmptyObject(arena, Desc(object, field).message));
}

// As deep as the way is long, which the code that calls mutable_x() decides, not input.
Value& MutablePlace::Step::Find(Arena& owner) const {
  if (kind == kRoot) return *root;
  Value& object = parent->Find(owner);
  if (kind == kField) return MessageAt(owner, object, field);
  if (kind == kEntry) return EntryAt(owner, object, field, {key, key_size});
  Value* list = object.Member(field);
  assert(list != nullptr && index < list->size());
  return list->items()[index];
}

Value& MutablePlace::Resolve() const { return step->Find(*arena); }

static MutablePlace::Step* NewStep(const MutablePlace& parent, uint16_t field,
                                   MutablePlace::Step::Kind kind) {
  auto* step = parent.arena->AllocateArray<MutablePlace::Step>(1);
  step->parent = parent.step;
  step->field = field;
  step->kind = kind;
  return step;
}

// --- writing

MutableView::MutableView(Document& document, [[maybe_unused]] const MessageDesc* type)
    : place_{&document.arena(), nullptr} {
  assert(document.type() == type);
  MutablePlace::Step* step = NewStep(place_, 0, MutablePlace::Step::kRoot);
  step->root = &document.root();
  place_.step = step;
}

// Text in the form of a field's type.
static Value TextValue(Arena& arena, FieldType type, std::string_view text) {
  const std::string_view copy = arena.Copy(text);
  switch (type) {
    case FieldType::kBytes:
      return Value::Bytes(copy);
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
    case FieldType::kUnknown:
      return Value::RawJson(copy);
    default:
      return Value::String(copy);
  }
}

static Value IntValue(FieldType type, int64_t value) {
  return type == FieldType::kDuration ? Value::Duration(value) : Value::Int(value);
}

void MutableView::SetScalar(uint16_t field, bool is_zero, Value scalar) {
  Value& object = AsValue();
  if (is_zero && !Desc(object, field).pointer()) {
    object.EraseMember(field);
  } else {
    object.SetMember(arena(), field, scalar);
  }
}

void MutableView::SetText(uint16_t field, std::string_view text) {
  const Value scalar = TextValue(arena(), Desc(AsValue(), field).type, text);
  // There is no empty JSON text, so even a pointer to one is absent.
  if (scalar.tag() == Tag::kRawJson && text.empty()) return Clear(field);
  SetScalar(field, text.empty(), scalar);
}

void MutableView::SetBool(uint16_t field, bool flag) { SetScalar(field, !flag, Value::Bool(flag)); }

void MutableView::SetInt(uint16_t field, int64_t number) {
  SetScalar(field, number == 0, IntValue(Desc(AsValue(), field).type, number));
}

void MutableView::SetUint(uint16_t field, uint64_t number) {
  SetScalar(field, number == 0, Value::Uint(number));
}

void MutableView::SetDouble(uint16_t field, double number) {
  SetScalar(field, number == 0, Value::Double(number));
}

void MutableView::SetTime(uint16_t field, Timestamp time) {
  const bool micro = Desc(AsValue(), field).type == FieldType::kMicroTime;
  SetScalar(field, IsZero(time), micro ? Value::MicroTime(time) : Value::Time(time));
}

void MutableView::SetCopy(uint16_t field, const Value& copied) {
  const Value copy = copied.CopyInto(arena());
  AsValue().SetMember(arena(), field, copy);
}

void MutableView::SetMessage(uint16_t field, const View& message) {
  if (message.AsValue() == nullptr) return Clear(field);
  assert(message.AsValue()->type() == Desc(AsValue(), field).message);
  SetCopy(field, *message.AsValue());
}

MutablePlace MutableView::Message(uint16_t field) {
  MessageAt(arena(), AsValue(), field);
  return {&arena(), NewStep(place_, field, MutablePlace::Step::kField)};
}

void MutableView::Clear(uint16_t field) { AsValue().EraseMember(field); }

// --- lists

void MutableView::AddText(uint16_t field, std::string_view text) {
  Value& object = AsValue();
  const Value item = TextValue(arena(), Desc(object, field).type, text);
  MemberOr(arena(), object, field, Value::EmptyList()).Append(arena(), item);
}

void MutableView::AddInt(uint16_t field, int64_t number) {
  Value& object = AsValue();
  const Value item = IntValue(Desc(object, field).type, number);
  MemberOr(arena(), object, field, Value::EmptyList()).Append(arena(), item);
}

void MutableView::AddCopy(uint16_t field, const Value& copied) {
  const Value copy = copied.CopyInto(arena());
  MemberOr(arena(), AsValue(), field, Value::EmptyList()).Append(arena(), copy);
}

MutablePlace MutableView::AddMessage(uint16_t field) {
  Value& object = AsValue();
  Value& list = MemberOr(arena(), object, field, Value::EmptyList());
  list.Append(arena(), Value::EmptyObject(arena(), Desc(object, field).message));
  return Item(field, list.size() - 1);
}

MutablePlace MutableView::Item(uint16_t field, size_t index) {
  MutablePlace::Step* step = NewStep(place_, field, MutablePlace::Step::kItem);
  step->index = index;
  return {&arena(), step};
}

void MutableView::EraseItem(uint16_t field, size_t index) {
  Value* list = AsValue().Member(field);
  assert(list != nullptr && index < list->size());
  list->EraseItem(index);
}

// --- maps

void MutableView::PutText(uint16_t field, std::string_view key, std::string_view text) {
  Value& object = AsValue();
  const Value item = TextValue(arena(), Desc(object, field).type, text);
  MemberOr(arena(), object, field, Value::EmptyMap()).SetEntry(arena(), key, item);
}

void MutableView::PutBool(uint16_t field, std::string_view key, bool flag) {
  MemberOr(arena(), AsValue(), field, Value::EmptyMap()).SetEntry(arena(), key, Value::Bool(flag));
}

void MutableView::PutInt(uint16_t field, std::string_view key, int64_t number) {
  Value& object = AsValue();
  const Value item = IntValue(Desc(object, field).type, number);
  MemberOr(arena(), object, field, Value::EmptyMap()).SetEntry(arena(), key, item);
}

void MutableView::PutCopy(uint16_t field, std::string_view key, const Value& copied) {
  const Value copy = copied.CopyInto(arena());
  MemberOr(arena(), AsValue(), field, Value::EmptyMap()).SetEntry(arena(), key, copy);
}

void MutableView::PutListItem(uint16_t field, std::string_view key, std::string_view text) {
  Value& map = MemberOr(arena(), AsValue(), field, Value::EmptyMap());
  Value* list = map.Find(key);
  if (list == nullptr) list = &map.SetEntry(arena(), key, Value::EmptyList());
  list->Append(arena(), Value::String(arena().Copy(text)));
}

MutablePlace MutableView::Entry(uint16_t field, std::string_view key) {
  EntryAt(arena(), AsValue(), field, key);
  MutablePlace::Step* step = NewStep(place_, field, MutablePlace::Step::kEntry);
  const std::string_view copy = arena().Copy(key);
  step->key = copy.data();
  step->key_size = static_cast<uint32_t>(copy.size());
  return {&arena(), step};
}

void MutableView::EraseEntry(uint16_t field, std::string_view key) {
  if (Value* map = AsValue().Member(field)) map->Erase(key);
}

}  // namespace skiff::object
