#include "apiserver/openapi/descriptions.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "net/gzip.h"
#include "object/published.h"

namespace skiff::apiserver {
namespace {

// Several times what the largest group-version needs.
constexpr size_t kMaxBlockBytes = 1024 * 1024;

std::pair<std::string_view, std::string_view> SplitAt(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Calls line(text) for each line of a block.
template <typename F>
void ForEachLine(std::string_view text, F line) {
  while (!text.empty()) {
    const auto [first, rest] = SplitAt(text, '\n');
    line(first);
    text = rest;
  }
}

bool IsField(std::string_view line) { return line.starts_with(' '); }

}  // namespace

std::string_view Descriptions::Type::text() const {
  if (text_.empty() && like_ != nullptr) return like_->text();
  return text_;
}

std::string_view Descriptions::Type::FieldText(std::string_view name) const {
  const auto found =
      std::lower_bound(fields_.begin(), fields_.end(), name,
                       [](const Field& a, std::string_view b) { return a.name < b; });
  if (found != fields_.end() && found->name == name) return found->text;
  return like_ == nullptr ? std::string_view() : like_->FieldText(name);
}

Descriptions::Descriptions() {
  for (const object::PublishedVersion& version : object::PublishedVersions()) {
    if (!version.descriptions.empty()) blocks_[version.prefix].packed = version.descriptions;
  }
}

Descriptions::~Descriptions() = default;

const Descriptions::Type* Descriptions::Find(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const auto found = blocks_.find(name.substr(0, dot));
  if (found == blocks_.end()) return nullptr;
  Block& block = found->second;
  if (block.text.empty()) Unpack(block);
  const std::string_view short_name = name.substr(dot + 1);
  const auto type = std::lower_bound(block.types.begin(), block.types.end(), short_name,
                                     [](const Type& a, std::string_view b) { return a.name_ < b; });
  if (type == block.types.end() || type->name_ != short_name) return nullptr;
  // The schema has no circles here: tools/schema would not get through them either.
  if (type->like_ == nullptr && !type->like_name_.empty()) type->like_ = Find(type->like_name_);
  return &*type;
}

size_t Descriptions::unpacked_bytes() const {
  size_t bytes = 0;
  for (const auto& [prefix, block] : blocks_) bytes += block.text.size();
  return bytes;
}

void Descriptions::Unpack(Block& block) {
  Result<std::string> text = net::GunzipBytes(block.packed, kMaxBlockBytes);
  assert(text && "the build made it");
  if (!text) return;
  block.text = *std::move(text);
  size_t fields = 0, types = 0;  // types refer to fields, which therefore must not move
  ForEachLine(block.text, [&](std::string_view line) { ++(IsField(line) ? fields : types); });
  block.fields.reserve(fields);
  block.types.reserve(types);
  ForEachLine(block.text, [&](std::string_view line) {
    const auto [name, told] = SplitAt(line, '\t');
    if (IsField(line)) {
      block.fields.push_back({name.substr(1), told});
      Type& owner = block.types.back();
      owner.fields_ = {block.fields.data() + block.fields.size() - 1 - owner.fields_.size(),
                       owner.fields_.size() + 1};
      return;
    }
    Type& type = block.types.emplace_back();
    std::tie(type.name_, type.like_name_) = SplitAt(name, '=');
    type.text_ = told;
  });
}

}  // namespace skiff::apiserver
