#include "apiserver/validation/internal_form.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "object/descriptor.h"
#include "object/json/encode.h"

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

void AppendMessage(const MessageDesc& type, const Value* message, std::string& out);

void AppendUnset(const FieldDesc& field, std::string& out) {
  if (field.pointer() || field.cardinality != Cardinality::kSingle) {
    out += "null";
    return;
  }
  switch (field.type) {
    case FieldType::kString:
      out += "\"\"";
      return;
    case FieldType::kBool:
      out += "false";
      return;
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
    case FieldType::kDouble:
    case FieldType::kIntOrString:
      out += '0';
      return;
    case FieldType::kDuration:
      out += "\"0s\"";
      return;
    case FieldType::kQuantity:
      out += "\"0\"";
      return;
    case FieldType::kMessage:
      return AppendMessage(*field.message, nullptr, out);
    default:
      out += "null";
  }
}

bool IsServedForm(const MessageDesc& type) {
  return type.group_version == nullptr || type.group_version->path == "meta/v1" ||
         type.form != MessageForm::kPlain;
}

void AppendValue(const Value& value, std::string& out) {
  if (value.is_object()) return AppendMessage(*value.type(), &value, out);
  if (value.is_list()) {
    out += '[';
    for (const Value& item : value.items()) {
      if (out.back() != '[') out += ',';
      AppendValue(item, out);
    }
    out += ']';
    return;
  }
  out += EncodeJson(value);
}

// A null message has no field set.
void AppendMessage(const MessageDesc& type, const Value* message, std::string& out) {
  if (IsServedForm(type)) {
    out += message != nullptr ? EncodeJson(*message) : std::string(type.zero_json);
    return;
  }
  out += '{';
  for (uint16_t i = 0; i < type.fields.size(); ++i) {
    if (i != 0) out += ',';
    const FieldDesc& field = type.fields[i];
    AppendName(field.name(), out);
    const Value* member = message != nullptr ? message->Member(i) : nullptr;
    if (member != nullptr) {
      AppendValue(*member, out);
    } else {
      AppendUnset(field, out);
    }
  }
  out += '}';
}

}  // namespace

std::string InternalForm(const Value& value) {
  std::string out;
  AppendValue(value, out);
  return out;
}

}  // namespace skiff
