#include "store/etcd_server/proto_schema.h"

#include <etcd_proto_text.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/strings.h"

namespace skiff::store {
namespace {

// Names and numbers as a whole, all else a character at a time. Comments and spaces are left out.
std::vector<std::string_view> Tokens(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  std::vector<std::string_view> out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at + 1;
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text[at] == '"') end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0)
      out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string CamelName(std::string_view name) {
  std::string out;
  bool is_next_upper = false;
  for (const char c : name) {
    if (c != '_') out += is_next_upper ? static_cast<char>(std::toupper(c)) : c;
    is_next_upper = c == '_';
  }
  return out;
}

constexpr std::pair<std::string_view, ProtoType> kScalars[] = {
    {"bool", ProtoType::kBool},   {"int32", ProtoType::kInt32},   {"uint32", ProtoType::kUint32},
    {"int64", ProtoType::kInt64}, {"uint64", ProtoType::kUint64}, {"string", ProtoType::kString},
    {"bytes", ProtoType::kBytes},
};

constexpr std::string_view kMainPackage = "etcdserverpb";

}  // namespace

class ProtoParser {
 public:
  ProtoParser(std::string_view text, ProtoSchema& out) : tokens_(Tokens(text)), out_(out) {}

  Result<void> Parse() {
    while (at_ < tokens_.size()) {
      const std::string_view word = Take();
      if (word == "package") {
        const std::string_view name = Take();
        prefix_ = name == kMainPackage ? "" : std::string(name) + ".";
        Skip(";");
      } else if (word == "message") {
        Message(prefix_);
      } else if (word == "enum") {
        Enum(prefix_);
      } else if (word == "service") {
        Service();
      } else {
        Skip(";");
      }
    }
    return is_broken_ ? BadRequest("a .proto file ends too early") : Resolve();
  }

 private:
  struct Rpc {
    std::string path;
    std::string request;
    std::string response;
    bool has_streams = false;
  };

  std::string_view Take() {
    is_broken_ |= at_ >= tokens_.size();
    return is_broken_ ? "" : tokens_[at_++];
  }
  void Skip(std::string_view until) {
    while (!is_broken_ && Take() != until) {
    }
  }
  uint32_t Number() {
    const std::string_view word = Take();
    uint32_t out = 0;
    std::from_chars(word.data(), word.data() + word.size(), out);
    return out;
  }

  void Enum(const std::string& scope) {
    ProtoEnum& made = out_.enums_[scope + std::string(Take())];
    Take();
    for (std::string_view name = Take(); name != "}" && !is_broken_; name = Take()) {
      Take();
      made.values.emplace_back(name, Number());
      Skip(";");
    }
  }

  void Message(const std::string& scope) {
    const std::string name = scope + std::string(Take());
    ProtoMessage& made = out_.messages_[name];
    made.name = name;
    Take();
    Body(name, made);
  }

  // Of a message or a oneof, behind the brace.
  void Body(const std::string& name, ProtoMessage& made) {
    for (std::string_view word = Take(); word != "}" && !is_broken_; word = Take()) {
      if (word == "enum") {
        Enum(name + ".");
      } else if (word == "message") {
        Message(name + ".");
      } else if (word == "oneof") {
        Take();
        Take();
        Body(name, made);
      } else if (word == "reserved" || word == "option") {
        Skip(";");
      } else {
        Field(word, made);
      }
    }
  }

  void Field(std::string_view word, ProtoMessage& made) {
    ProtoField field;
    field.is_repeated = word == "repeated";
    field.type_name = field.is_repeated ? Take() : word;
    field.name = Take();
    field.camel_name = CamelName(field.name);
    Take();
    field.number = Number();
    Skip(";");
    made.fields.push_back(std::move(field));
  }

  void Service() {
    const std::string service = std::string(kMainPackage) + "." + std::string(Take());
    Take();
    while (!is_broken_ && Take() == "rpc") {
      Rpc rpc;
      rpc.path = "/" + service + "/" + std::string(Take());
      rpc.request = Parameter(&rpc.has_streams);
      Take();
      rpc.response = Parameter(&rpc.has_streams);
      Skip(";");
      rpcs_.push_back(std::move(rpc));
    }
  }

  std::string Parameter(bool* has_streams) {
    Take();
    std::string_view name = Take();
    if (name == "stream") {
      *has_streams = true;
      name = Take();
    }
    Take();
    return std::string(name);
  }

  Result<void> Resolve() {
    for (auto& [name, message] : out_.messages_) {
      for (ProtoField& field : message.fields) SKIFF_RETURN_IF_ERROR(ResolveField(name, field));
    }
    for (const Rpc& rpc : rpcs_) {
      const ProtoMethod method{out_.FindMessage(rpc.request), out_.FindMessage(rpc.response),
                               rpc.has_streams};
      if (method.request == nullptr || method.response == nullptr)
        return BadRequest("the messages of " + rpc.path + " are not there");
      out_.methods_[rpc.path] = method;
    }
    return {};
  }

  // The innermost of that name: within the message, beside it, or in another package.
  Result<void> ResolveField(const std::string& message, ProtoField& field) {
    for (const auto& [name, type] : kScalars) {
      field.type = type;
      if (name == field.type_name) return {};
    }
    const size_t dot = message.rfind('.');
    const std::string beside = dot == std::string::npos ? "" : message.substr(0, dot + 1);
    for (const std::string& scope : {message + ".", beside, std::string()}) {
      const std::string name = scope + field.type_name;
      if (const auto found = out_.enums_.find(name); found != out_.enums_.end()) {
        field.type = ProtoType::kEnum;
        field.enumeration = &found->second;
        return {};
      }
      field.type = ProtoType::kMessage;
      field.message = out_.FindMessage(name);
      if (field.message != nullptr) return {};
    }
    return BadRequest("there is no type " + Quoted(field.type_name));
  }

  const std::vector<std::string_view> tokens_;
  ProtoSchema& out_;
  std::string prefix_;
  std::vector<Rpc> rpcs_;
  size_t at_ = 0;
  bool is_broken_ = false;
};

Result<std::unique_ptr<ProtoSchema>> ProtoSchema::Parse(std::string_view text) {
  auto schema = std::make_unique<ProtoSchema>();
  SKIFF_RETURN_IF_ERROR(ProtoParser(text, *schema).Parse());
  return schema;
}

const ProtoSchema& ProtoSchema::OfEtcd() {
  // A unit test sees to it that this text can be read.
  static const std::unique_ptr<ProtoSchema> schema = Parse(kEtcdProtoText).value();
  return *schema;
}

const ProtoMessage* ProtoSchema::FindMessage(std::string_view name) const {
  const auto found = messages_.find(name);
  return found == messages_.end() ? nullptr : &found->second;
}

const ProtoMethod* ProtoSchema::FindMethod(std::string_view path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

}  // namespace skiff::store
