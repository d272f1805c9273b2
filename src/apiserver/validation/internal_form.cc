#include "apiserver/validation/internal_form.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "object/descriptor.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"

namespace skiff::apiserver {
namespace {

// Go writes abbreviations in capitals.
constexpr std::pair<std::string_view, std::string_view> kGoNames[] = {
    {"apiGroup", "APIGroup"},
    {"apiGroups", "APIGroups"},
    {"apiVersion", "APIVersion"},
    {"apiVersions", "APIVersions"},
    {"awsElasticBlockStore", "AWSElasticBlockStore"},
    {"cephfs", "CephFS"},
    {"cidr", "CIDR"},
    {"cidrs", "CIDRs"},
    {"csi", "CSI"},
    {"dnsConfig", "DNSConfig"},
    {"dnsPolicy", "DNSPolicy"},
    {"fc", "FC"},
    {"fsType", "FSType"},
    {"gcePersistentDisk", "GCEPersistentDisk"},
    {"grpc", "GRPC"},
    {"http", "HTTP"},
    {"httpGet", "HTTPGet"},
    {"id", "ID"},
    {"ip", "IP"},
    {"ipBlock", "IPBlock"},
    {"ipFamilies", "IPFamilies"},
    {"ipFamilyPolicy", "IPFamilyPolicy"},
    {"ipMode", "IPMode"},
    {"iscsi", "ISCSI"},
    {"nfs", "NFS"},
    {"rbd", "RBD"},
    {"storageos", "StorageOS"},
    {"tcpSocket", "TCPSocket"},
    {"tls", "TLS"},
    {"tty", "TTY"},
    {"uid", "UID"},
    {"url", "URL"},
};

void AppendName(std::string_view name, std::string& out) {
  const auto known =
      std::ranges::find(kGoNames, name, &std::pair<std::string_view, std::string_view>::first);
  out += '"';
  if (known != std::end(kGoNames)) {
    out += known->second;
  } else if (!name.empty()) {
    const bool lower = name[0] >= 'a' && name[0] <= 'z';
    out += lower ? static_cast<char>(name[0] - 'a' + 'A') : name[0];
    out += name.substr(1);
  }
  out += "\":";
}

bool IsServedForm(const object::MessageDesc& type) {
  return type.group_version == nullptr || type.group_version->path == "meta/v1" ||
         type.form != object::MessageForm::kPlain;
}

class FormWriter {
 public:
  explicit FormWriter(size_t enough) : enough_(enough) {}

  void AppendValue(const object::Value& value);
  std::string Take() { return std::move(out_); }

 private:
  bool HasEnough() const { return out_.size() >= enough_; }
  void AppendList(const object::Value& list);
  void AppendMap(const object::Value& map);
  // A null message has no field set.
  void AppendMessage(const object::MessageDesc& type, const object::Value* message);
  void AppendUnset(const object::FieldDesc& field);

  size_t enough_;
  std::string out_;
};

void FormWriter::AppendUnset(const object::FieldDesc& field) {
  if (field.pointer() || field.cardinality != object::Cardinality::kSingle) {
    out_ += "null";
    return;
  }
  switch (field.type) {
    case object::FieldType::kString:
      out_ += "\"\"";
      return;
    case object::FieldType::kBool:
      out_ += "false";
      return;
    case object::FieldType::kInt32:
    case object::FieldType::kInt64:
    case object::FieldType::kUint32:
    case object::FieldType::kUint64:
    case object::FieldType::kDouble:
    case object::FieldType::kIntOrString:
      out_ += '0';
      return;
    case object::FieldType::kDuration:
      out_ += "\"0s\"";
      return;
    case object::FieldType::kQuantity:
      out_ += "\"0\"";
      return;
    case object::FieldType::kMessage:
      return AppendMessage(*field.message, nullptr);
    default:
      out_ += "null";
  }
}

void FormWriter::AppendList(const object::Value& list) {
  out_ += '[';
  for (const object::Value& item : list.items()) {
    if (HasEnough()) return;
    if (out_.back() != '[') out_ += ',';
    AppendValue(item);
  }
  out_ += ']';
}

// What maps hold looks as it is served.
void FormWriter::AppendMap(const object::Value& map) {
  out_ += '{';
  for (const object::MapEntry& entry : map.entries()) {
    if (HasEnough()) return;
    if (&entry != map.entries().data()) out_ += ',';
    out_ += object::JsonText(entry.key) + ':' + object::EncodeJson(entry.value);
  }
  out_ += '}';
}

void FormWriter::AppendValue(const object::Value& value) {
  if (value.is_object()) return AppendMessage(*value.type(), &value);
  if (value.is_list()) return AppendList(value);
  if (value.is_map()) return AppendMap(value);
  out_ += object::EncodeJson(value);
}

void FormWriter::AppendMessage(const object::MessageDesc& type, const object::Value* message) {
  if (IsServedForm(type)) {
    out_ += message != nullptr ? object::EncodeJson(*message) : std::string(type.zero_json);
    return;
  }
  out_ += '{';
  for (uint16_t i = 0; i < type.fields.size(); ++i) {
    if (HasEnough()) return;
    if (i != 0) out_ += ',';
    const object::FieldDesc& field = type.fields[i];
    AppendName(field.name(), out_);
    const object::Value* member = message != nullptr ? message->Member(i) : nullptr;
    if (member != nullptr) {
      AppendValue(*member);
    } else {
      AppendUnset(field);
    }
  }
  out_ += '}';
}

}  // namespace

std::string InternalForm(const object::Value& value, size_t enough) {
  FormWriter writer(enough);
  writer.AppendValue(value);
  return writer.Take();
}

}  // namespace skiff::apiserver
