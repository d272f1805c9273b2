#include "object/diff.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/hex.h"
#include "object/equal.h"
#include "object/field_path.h"
#include "object/scalar/duration.h"

namespace skiff::object {
namespace {

// Writes until the limit is passed; what comes after is cut off anyway.
class ShortWriter {
 public:
  ShortWriter(std::string& out, size_t limit) : out_(out), limit_(limit) {}

  void Write(const Value& value) {
    if (Full()) return;
    switch (value.tag()) {
      case Tag::kNull:
        out_ += "null";
        break;
      case Tag::kBool:
        out_ += value.AsBool() ? "true" : "false";
        break;
      case Tag::kInt:
        out_ += std::to_string(value.AsInt());
        break;
      case Tag::kUint:
        out_ += std::to_string(value.AsUint());
        break;
      case Tag::kDouble:
        WriteDouble(value.AsDouble());
        break;
      case Tag::kString:
        WriteText(value.AsText());
        break;
      case Tag::kBytes:
        out_ += "<" + std::to_string(value.AsText().size()) + " bytes>";
        break;
      case Tag::kRawJson:
        out_ += value.AsText().substr(0, limit_ + 1);
        break;
      case Tag::kTime:
        out_ += '"';
        AppendTime(value.AsTime(), out_);
        out_ += '"';
        break;
      case Tag::kMicroTime:
        out_ += '"';
        AppendMicroTime(value.AsTime(), out_);
        out_ += '"';
        break;
      case Tag::kDuration:
        out_ += '"';
        AppendDuration(value.AsInt(), out_);
        out_ += '"';
        break;
      case Tag::kList:
        WriteList(value);
        break;
      case Tag::kMap:
        WriteMap(value);
        break;
      case Tag::kObject:
        WriteObject(value);
        break;
    }
  }

 private:
  bool Full() const { return out_.size() > limit_; }

  void WriteDouble(double number) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof text, number);
    out_.append(text, result.ptr);
  }

  void WriteText(std::string_view text) {
    out_ += '"';
    for (char c : text) {
      if (Full()) return;
      if (c == '"' || c == '\\') out_ += '\\';
      if (c == '\n') {
        out_ += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        (out_ += "\\u00") += HexByte(c);
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void WriteList(const Value& value) {
    char separator = '[';
    for (const Value& item : value.items()) {
      if (Full()) return;
      out_ += separator;
      Write(item);
      separator = ',';
    }
    out_ += separator == '[' ? "[]" : "]";
  }

  void WriteMap(const Value& value) {
    char separator = '{';
    for (const MapEntry& entry : value.entries()) {
      if (Full()) return;
      out_ += separator;
      WriteText(entry.key);
      out_ += ':';
      Write(entry.value);
      separator = ',';
    }
    out_ += separator == '{' ? "{}" : "}";
  }

  void WriteObject(const Value& value) {
    char separator = '{';
    for (const Value& member : value.members()) {
      if (Full()) return;
      out_ += separator;
      WriteText(member.field_desc(*value.type()).name());
      out_ += ':';
      Write(member);
      separator = ',';
    }
    out_ += separator == '{' ? "{}" : "}";
  }

  std::string& out_;
  size_t limit_;
};

// The keys of a list's items as steps of a path; nothing when an item lacks them or two are alike.
std::optional<std::vector<std::string>> KeySteps(const Value& list,
                                                 std::span<const std::string_view> keys) {
  std::vector<std::string> steps;
  for (const Value& item : list.items()) {
    FieldPathStep step{.kind = FieldPathStep::kKeys, .name = {}, .index = 0, .keys = {}};
    bool some = false;
    for (std::string_view key : keys) {
      std::string text;
      if (!ListKeyText(item, key, &text)) return std::nullopt;
      some |= !text.empty();
      step.keys.emplace_back(key, std::move(text));
    }
    if (!some) return std::nullopt;
    AppendStep(steps.emplace_back(), step);
  }
  std::vector<std::string> sorted = steps;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
  return steps;
}

class Differ {
 public:
  explicit Differ(size_t limit) : limit_(limit) {}

  DocumentDiff Take() { return std::move(diff_); }

  // Either may be null: not there.
  void Compare(const FieldDesc* field, const Value* before, const Value* after) {
    if (before == nullptr || after == nullptr) {
      if (before != nullptr || after != nullptr) {
        Report(before == nullptr ? Difference::kAdded : Difference::kRemoved, before, after);
      }
      return;
    }
    if (before->tag() == after->tag() && !IsScalar(*before)) {
      if (before->is_list()) return CompareLists(field, *before, *after);
      if (before->is_map()) return CompareMaps(field, *before, *after);
      if (before->type() == after->type()) return CompareObjects(*before, *after);
    }
    if (!EqualInField(field, *before, *after)) Report(Difference::kChanged, before, after);
  }

 private:
  void Report(Difference::Kind kind, const Value* before, const Value* after) {
    if (++diff_.total > limit_) return;
    diff_.differences.push_back({kind, path_, before == nullptr ? "" : ShortJson(*before),
                                 after == nullptr ? "" : ShortJson(*after)});
  }

  // Compares what lies one step deeper.
  template <typename Append>
  void Below(Append append, const FieldDesc* field, const Value* before, const Value* after) {
    const size_t size = path_.size();
    append(path_);
    Compare(field, before, after);
    path_.resize(size);
  }

  void CompareObjects(const Value& before, const Value& after) {
    const MessageDesc& type = *before.type();
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const FieldDesc& field = type.fields[i];
      const Value* old_member = Present(field, before.Member(static_cast<uint16_t>(i)));
      const Value* new_member = Present(field, after.Member(static_cast<uint16_t>(i)));
      Below([&](std::string& path) { AppendMember(path, field.name()); }, &field, old_member,
            new_member);
    }
  }

  // Null where the member equals its absence.
  static const Value* Present(const FieldDesc& field, const Value* member) {
    if (member == nullptr || member->is_null()) return nullptr;
    return !field.pointer() && EqualsAbsent(field, *member) ? nullptr : member;
  }

  void CompareMaps(const FieldDesc* field, const Value& before, const Value& after) {
    const auto first = before.entries();
    const auto second = after.entries();
    size_t i = 0, j = 0;
    while (i < first.size() || j < second.size()) {
      const bool take_first =
          j == second.size() || (i < first.size() && first[i].key <= second[j].key);
      const bool take_second =
          i == first.size() || (j < second.size() && second[j].key <= first[i].key);
      const std::string_view key = take_first ? first[i].key : second[j].key;
      const Value* old_value = take_first ? &first[i++].value : nullptr;
      const Value* new_value = take_second ? &second[j++].value : nullptr;
      Below([&](std::string& path) { AppendMember(path, key); }, field, old_value, new_value);
    }
  }

  void CompareLists(const FieldDesc* field, const Value& before, const Value& after) {
    if (field != nullptr) {
      const FieldTraits& traits = *field->traits;
      std::span<const std::string_view> keys = traits.list_map_keys;
      if (keys.empty() && !traits.merge_key.empty()) keys = {&traits.merge_key, 1};
      if (!keys.empty()) {
        const auto old_steps = KeySteps(before, keys);
        const auto new_steps = KeySteps(after, keys);
        if (old_steps && new_steps) {
          return CompareByKey(field, before, *old_steps, after, *new_steps);
        }
      }
    }
    const auto first = before.items();
    const auto second = after.items();
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      Below([&](std::string& path) { AppendIndex(path, i); }, field,
            i < first.size() ? &first[i] : nullptr, i < second.size() ? &second[i] : nullptr);
    }
  }

  void CompareByKey(const FieldDesc* field, const Value& before,
                    const std::vector<std::string>& old_steps, const Value& after,
                    const std::vector<std::string>& new_steps) {
    std::map<std::string_view, size_t> new_index;
    for (size_t i = 0; i < new_steps.size(); ++i) new_index[new_steps[i]] = i;
    std::vector<size_t> order;  // where the items that both have stand in the new list
    for (size_t i = 0; i < old_steps.size(); ++i) {
      const auto found = new_index.find(old_steps[i]);
      const Value* match = found == new_index.end() ? nullptr : &after.items()[found->second];
      Below([&](std::string& path) { path += old_steps[i]; }, field, &before.items()[i], match);
      if (match != nullptr) {
        order.push_back(found->second);
        new_index.erase(found);
      }
    }
    for (size_t i = 0; i < new_steps.size(); ++i) {
      if (!new_index.contains(new_steps[i])) continue;
      Below([&](std::string& path) { path += new_steps[i]; }, field, nullptr, &after.items()[i]);
    }
    if (!std::ranges::is_sorted(order)) ReportOrder(new_steps, order);
  }

  // Items that only changed places: the list changed, though no item did.
  void ReportOrder(const std::vector<std::string>& steps, std::vector<size_t> order) {
    if (++diff_.total > limit_) return;
    auto text = [&] {
      std::string out = "order ";
      for (size_t index : order) out += steps[index];
      if (out.size() > limits::kMaxShownValueBytes) {
        out.resize(limits::kMaxShownValueBytes);
        out += "…";
      }
      return out;
    };
    std::string old_order = text();
    std::ranges::sort(order);
    diff_.differences.push_back({Difference::kChanged, path_, std::move(old_order), text()});
  }

  DocumentDiff diff_;
  size_t limit_;
  std::string path_;
};

}  // namespace

std::string ShortJson(const Value& value, size_t max_bytes) {
  std::string out;
  ShortWriter(out, max_bytes).Write(value);
  if (out.size() > max_bytes) {
    size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
    out.resize(end);
    out += "…";
  }
  return out;
}

DocumentDiff DiffValues(const Value& old_value, const Value& new_value, size_t max_differences) {
  Differ differ(max_differences);
  differ.Compare(nullptr, &old_value, &new_value);
  return differ.Take();
}

std::string DocumentDiff::ToString() const {
  std::string out;
  for (const Difference& one : differences) {
    out += one.kind == Difference::kAdded ? "+ " : one.kind == Difference::kRemoved ? "- " : "~ ";
    out += (one.path.empty() ? "(document)" : one.path) + ": ";
    if (one.kind != Difference::kAdded) out += one.old_value;
    if (one.kind == Difference::kChanged) out += " -> ";
    if (one.kind != Difference::kRemoved) out += one.new_value;
    out += '\n';
  }
  if (total > differences.size()) {
    out += "… and " + std::to_string(total - differences.size()) + " more\n";
  }
  return out;
}

}  // namespace skiff::object
