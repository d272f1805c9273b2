#include "apiserver/validation/internal_form.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "object/descriptor.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"

namespace skiff {
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

bool IsServedForm(const MessageDesc& type) {
  return type.group_version == nullptr || type.group_version->path == "meta/v1" ||
         type.form != MessageForm::kPlain;
}

class FormWriter {
 public:
  explicit FormWriter(size_t enough) : enough_(enough) {}

  void AppendValue(const Value& value);
  std::string Take() { return std::move(out_); }

 private:
  bool HasEnough() const { return out_.size() >= enough_; }
  void AppendList(const Value& list);
  void AppendMap(const Value& map);
  // A null message has no field set.
  void AppendMessage(const MessageDesc& type, const Value* message);
  void AppendUnset(const FieldDesc& field);

  size_t enough_;
  std::string out_;
};

void FormWriter::AppendUnset(const FieldDesc& field) {
  if (field.pointer() || field.cardinality != Cardinality::kSingle) {
    out_ += "null";
    return;
  }
  switch (field.type) {
    case FieldType::kString:
      out_ += "\"\"";
      return;
    case FieldType::kBool:
      out_ += "false";
      return;
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
    case FieldType::kDouble:
    case FieldType::kIntOrString:
      out_ += '0';
      return;
    case FieldType::kDuration:
      out_ += "\"0s\"";
      return;
    case FieldType::kQuantity:
      out_ += "\"0\"";
      return;
    case FieldType::kMessage:
      return AppendMessage(*field.message, nullptr);
    default:
      out_ += "null";
  }
}

void FormWriter::AppendList(const Value& list) {
  out_ += '[';
  for (const Value& item : list.items()) {
    if (HasEnough()) return;
    if (out_.back() != '[') out_ += ',';
    AppendValue(item);
  }
  out_ += ']';
}

// What maps hold looks as it is served.
void FormWriter::AppendMap(const Value& map) {
  out_ += '{';
  for (const MapEntry& entry : map.entries()) {
    if (HasEnough()) return;
    if (&entry != map.entries().data()) out_ += ',';
    out_ += JsonText(entry.key) + ':' + EncodeJson(entry.value);
  }
  out_ += '}';
}

void FormWriter::AppendValue(const Value& value) {
  if (value.is_object()) return AppendMessage(*value.type(), &value);
  if (value.is_list()) return AppendList(value);
  if (value.is_map()) return AppendMap(value);
  out_ += EncodeJson(value);
}

void FormWriter::AppendMessage(const MessageDesc& type, const Value* message) {
  if (IsServedForm(type)) {
    out_ += message != nullptr ? EncodeJson(*message) : std::string(type.zero_json);
    return;
  }
  out_ += '{';
  for (uint16_t i = 0; i < type.fields.size(); ++i) {
    if (HasEnough()) return;
    if (i != 0) out_ += ',';
    const FieldDesc& field = type.fields[i];
    AppendName(field.name(), out_);
    const Value* member = message != nullptr ? message->Member(i) : nullptr;
    if (member != nullptr) {
      AppendValue(*member);
    } else {
      AppendUnset(field);
    }
  }
  out_ += '}';
}

}  // namespace

std::string InternalForm(const Value& value, size_t enough) {
  FormWriter writer(enough);
  writer.AppendValue(value);
  return writer.Take();
}

}  // namespace skiff
