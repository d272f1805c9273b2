// Writes JSON piece by piece and keeps track of the commas, for documents that have no schema of
// their own or are written once from tables.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff::serving {

class JsonWriter {
 public:
  explicit JsonWriter(ByteBuffer& out) : out_(out) {}

  void OpenObject() { Open('{'); }
  void CloseObject() { Close('}'); }
  void OpenArray() { Open('['); }
  void CloseArray() { Close(']'); }

  // Names are plain: they need no escapes.
  void Key(std::string_view name) {
    Comma();
    out_.Append('"');
    out_.Append(name);
    out_.Append("\":");
    comma_ = false;
  }
  // A name of somebody else's.
  void EscapedKey(std::string_view name) {
    Comma();
    object::AppendJsonString(out_, name);
    out_.Append(':');
    comma_ = false;
  }
  void OpenObject(std::string_view key) {
    Key(key);
    OpenObject();
  }
  void OpenArray(std::string_view key) {
    Key(key);
    OpenArray();
  }

  void String(std::string_view value) {
    Comma();
    object::AppendJsonString(out_, value);
    comma_ = true;
  }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Int(int64_t value) {
    Comma();
    object::AppendJsonInt(out_, value);
    comma_ = true;
  }
  // A whole value, or whole members of an object, that is JSON already.
  void Raw(std::string_view json) {
    Comma();
    out_.Append(json);
    comma_ = true;
  }

  void String(std::string_view key, std::string_view value) {
    Key(key);
    String(value);
  }
  void Bool(std::string_view key, bool value) {
    Key(key);
    Bool(value);
  }
  void Int(std::string_view key, int64_t value) {
    Key(key);
    Int(value);
  }
  void Raw(std::string_view key, std::string_view json) {
    Key(key);
    Raw(json);
  }
  template <typename Strings>
  void StringArray(std::string_view key, const Strings& values) {
    OpenArray(key);
    for (const std::string_view value : values) String(value);
    CloseArray();
  }

 private:
  void Comma() {
    if (comma_) out_.Append(',');
  }
  void Open(char bracket) {
    Comma();
    out_.Append(bracket);
    comma_ = false;
  }
  void Close(char bracket) {
    out_.Append(bracket);
    comma_ = true;
  }

  ByteBuffer& out_;
  bool comma_ = false;
};

}  // namespace skiff::serving
