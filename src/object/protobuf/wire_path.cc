#include "object/protobuf/wire_path.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "base/strings.h"

namespace skiff::object {
namespace {

std::unexpected<Status> NoSuchField(const MessageDesc& root, std::string_view name,
                                    std::string_view text) {
  return Fail(StatusReason::kInternalError,
              std::string(root.name) + " has no " + Quoted(name) + " for " + Quoted(text));
}

// The protobuf field that holds the field of this index, itself or in a message that is inlined.
const ProtoFieldDesc* FieldAt(const MessageDesc& message, uint16_t index) {
  const auto found = std::ranges::find_if(message.proto_fields, [&](const ProtoFieldDesc& field) {
    const size_t width = field.inlined == nullptr ? 1 : field.inlined->fields.size();
    return index >= field.first_field && index < field.first_field + width;
  });
  return found == message.proto_fields.end() ? nullptr : &*found;
}

// Whether a value that is there counts as set. False also for types whose zero this does not know.
bool IsSetValue(const FieldDesc& field, const WirePath::Found& found) {
  if (field.pointer() || field.cardinality != Cardinality::kSingle) return true;
  if (field.type == FieldType::kString || field.type == FieldType::kBytes) {
    return !found.bytes.empty();
  }
  return field.type >= FieldType::kBool && field.type <= FieldType::kUint64 && found.number != 0;
}

}  // namespace

Result<WirePath> WirePath::Resolve(const MessageDesc& root, std::string_view text) {
  WirePath path;
  const MessageDesc* message = &root;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t dot = rest.find('.');
    std::string_view name = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    const bool every = name.ends_with("[*]");
    if (every) name.remove_suffix(3);
    uint16_t index = message == nullptr ? MessageDesc::kNoField : message->FindField(name);
    if (index == MessageDesc::kNoField) return NoSuchField(root, name, text);
    const FieldDesc& field = message->fields[index];
    while (true) {
      const ProtoFieldDesc* proto = FieldAt(*message, index);
      if (proto == nullptr) return NoSuchField(root, name, text);
      if (proto->inlined == nullptr) {
        path.steps_.push_back({proto->key, &field, every, field.cardinality == Cardinality::kMap});
        break;
      }
      path.steps_.push_back({proto->key, nullptr, false, false});
      index = static_cast<uint16_t>(index - proto->first_field);
      message = proto->inlined;
    }
    message = field.message;
  }
  return path;
}

WirePath WirePath::Of(const MessageDesc* root, std::string_view text) {
  Result<WirePath> path = Resolve(*root, text);
  assert(path.has_value());
  return std::move(*path);
}

bool WirePath::MapValue(std::string_view entry, std::string_view& value) {
  constexpr uint32_t kValueKey = WireKey(2, WireType::kBytes);
  std::string_view found;
  for (WireReader in(entry); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    const WireError error = key == kValueKey ? in.ReadBytes(&found) : in.Skip(key);
    if (error != WireError::kNone) return false;
  }
  value = found;
  return true;
}

std::optional<WirePath::Found> WirePath::Find(std::string_view message, bool& odd) const {
  std::optional<Found> out;
  int count = 0;
  const bool sound = ForEach(message, [&](const Found& found) {
    out = found;
    return ++count == 1;
  });
  if (!sound) {
    odd = true;
    return std::nullopt;
  }
  return out;
}

WirePath::Answer WirePath::IsSet(std::string_view message) const { return IsSet(steps_, message); }

WirePath::Answer WirePath::IsSet(std::span<const Step> steps, std::string_view message) {
  const bool last = steps.size() == 1;
  const Step& step = steps.front();
  const bool single =
      step.field == nullptr || step.field->cardinality == Cardinality::kSingle || step.every;
  Answer answer = step.every ? Answer::kYes : Answer::kNo;
  int count = 0;
  const auto visit = [&](const Found& found) {
    ++count;
    if (!step.every && single && count > 1) return false;  // in pieces
    const Answer here = !last ? IsSet(steps.subspan(1), found.bytes)
                        : step.field != nullptr && IsSetValue(*step.field, found) ? Answer::kYes
                                                                                  : Answer::kNo;
    if (here == Answer::kOdd) return false;
    if (!step.every || here == Answer::kNo) answer = here;
    return true;
  };
  if (!Walk(steps.first(1), message, visit)) return Answer::kOdd;
  return answer;
}

}  // namespace skiff::object
