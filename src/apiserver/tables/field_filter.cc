#include "apiserver/tables/field_filter.h"

#include <cstring>
#include <string>

#include "base/limits.h"

namespace skiff::apiserver {
namespace {

constexpr uint32_t kMapKeyTag = 1;

// Takes the first step off a path: its name, without a number in brackets.
std::string_view TakeStep(std::string_view* path) {
  path->remove_prefix(1);  // the dot
  const std::string_view step = path->substr(0, path->find('.'));
  path->remove_prefix(step.size());
  return step.substr(0, step.find('['));
}

// Puts the size of what follows `start` in front of it, where one byte was left for it.
void PatchSize(ByteBuffer& out, size_t start) {
  const size_t size = out.size() - start;
  const size_t bytes = object::VarintSize(size);
  if (bytes > 1) {
    char* const end = out.Reserve(bytes);
    char* const from = out.data() + start;
    std::memmove(from + bytes - 1, from, size);
    out.CommitTo(end + bytes - 1);
  }
  object::WriteVarint(reinterpret_cast<uint8_t*>(out.data() + start - 1), size);
}

}  // namespace

FieldFilter::Node& FieldFilter::Node::At(uint32_t tag) {
  if (fields.size() <= tag) fields.resize(tag + 1);
  if (fields[tag] == nullptr) fields[tag] = std::make_unique<Node>();
  return *fields[tag];
}

Result<void> FieldFilter::Keep(std::string_view path) {
  const bool count_only = path.ends_with('#');
  if (count_only) path.remove_suffix(1);
  return KeepIn(root_, *type_, path, count_only);
}

Result<void> FieldFilter::KeepIn(Node& node, const object::MessageDesc& type, std::string_view path,
                                 bool count_only) {
  std::string_view rest = path;
  const std::string_view name = path.starts_with('.') ? TakeStep(&rest) : std::string_view();
  const uint16_t index = type.FindField(name);
  if (index == object::MessageDesc::kNoField) {
    return Fail(StatusReason::kInternalError,
                std::string(type.name) + " has no field for the path " + std::string(path));
  }
  for (const object::ProtoFieldDesc& proto : type.proto_fields) {
    const uint32_t tag = object::WireFieldNumber(proto.key);
    if (proto.inlined != nullptr) {
      const size_t end = proto.first_field + proto.inlined->fields.size();
      if (index < proto.first_field || index >= end) continue;
      return KeepIn(node.At(tag), *proto.inlined, path, count_only);
    }
    if (proto.first_field != index) continue;
    const object::FieldDesc& field = type.fields[index];
    const bool descends = field.type == object::FieldType::kMessage &&
                          field.cardinality != object::Cardinality::kMap && !rest.empty();
    if (descends) return KeepIn(node.At(tag), *field.message, rest, count_only);
    KeepEnd(node.At(tag), field, count_only);
    return {};
  }
  return {};  // Not in protobuf: the envelope's kind and apiVersion.
}

void FieldFilter::KeepEnd(Node& node, const object::FieldDesc& field, bool count_only) {
  if (!count_only) {
    node.whole = true;
  } else if (field.cardinality == object::Cardinality::kMap) {
    node.At(kMapKeyTag).whole = true;  // equal keys count once
  } else if (field.type != object::FieldType::kMessage) {
    node.whole = true;
  }
}

bool FieldFilter::Apply(std::string_view message, ByteBuffer& out) const {
  return Copy(object::WireReader(message), root_, 0, out);
}

bool FieldFilter::Copy(object::WireReader in, const Node& node, int depth, ByteBuffer& out) {
  if (depth > limits::kMaxDepth) return false;
  const std::unique_ptr<Node>* const fields = node.fields.data();
  const size_t field_count = node.fields.size();
  while (!in.done()) {
    const char* const start = reinterpret_cast<const char*>(in.at);
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    const size_t key_size = static_cast<size_t>(reinterpret_cast<const char*>(in.at) - start);
    const uint32_t tag = object::WireFieldNumber(key);
    const Node* const wanted = tag < field_count ? fields[tag].get() : nullptr;
    std::string_view body;
    if (object::WireTypeOf(key) == object::WireType::kBytes) {
      if (in.ReadBytes(&body) != object::WireError::kNone) return false;
    } else if (in.Skip(key) != object::WireError::kNone) {
      return false;
    }
    if (wanted == nullptr) continue;
    if (wanted->whole || object::WireTypeOf(key) != object::WireType::kBytes) {
      out.Append({start, static_cast<size_t>(reinterpret_cast<const char*>(in.at) - start)});
      continue;
    }
    out.Append({start, key_size});
    out.Append('\0');
    const size_t body_start = out.size();
    if (!Copy(object::WireReader(body), *wanted, depth + 1, out)) return false;
    PatchSize(out, body_start);
  }
  return true;
}

}  // namespace skiff::apiserver
