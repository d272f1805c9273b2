// The messages of etcd's API as data, for who reads and writes them without the code that protobuf
// makes: its light run-time, which is linked here, has no descriptors.
//
// The schema is read from the text of the .proto files, of which it understands what is in those:
// messages, enums, oneofs, repeated fields, services. Names are those of the files; what lies in a
// message has that message's name and a dot before it, what is not in etcdserverpb its package's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::store {

struct ProtoMessage;

struct ProtoEnum {
  std::vector<std::pair<std::string, int64_t>> values;
};

enum class ProtoType : uint8_t {
  kBool,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kString,
  kBytes,
  kEnum,
  kMessage
};

struct ProtoField {
  std::string name;        // range_end
  std::string camel_name;  // rangeEnd
  uint32_t number = 0;
  ProtoType type = ProtoType::kBool;
  bool is_repeated = false;
  std::string type_name = {};  // of enums and messages, as written
  const ProtoMessage* message = nullptr;
  const ProtoEnum* enumeration = nullptr;
};

struct ProtoMessage {
  std::string name;
  std::vector<ProtoField> fields;
};

struct ProtoMethod {
  const ProtoMessage* request = nullptr;
  const ProtoMessage* response = nullptr;
  bool has_streams = false;
};

// Immutable once made.
class ProtoSchema {
 public:
  static Result<std::unique_ptr<ProtoSchema>> Parse(std::string_view text);
  // Of etcd's API; made when it is first asked for.
  static const ProtoSchema& OfEtcd();

  // Null: there is none.
  const ProtoMessage* FindMessage(std::string_view name) const;
  // "/etcdserverpb.KV/Range"
  const ProtoMethod* FindMethod(std::string_view path) const;

 private:
  friend class ProtoParser;
  std::map<std::string, ProtoMessage, std::less<>> messages_;
  std::map<std::string, ProtoEnum, std::less<>> enums_;
  std::map<std::string, ProtoMethod, std::less<>> methods_;
};

}  // namespace skiff::store
