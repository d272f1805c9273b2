#include "serving/auth/service_account_claims.h"

#include <cmath>

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff::serving {
namespace {

constexpr std::string_view kUserPrefix = "system:serviceaccount:";
constexpr std::string_view kLegacyPrefix = "kubernetes.io/serviceaccount/";

// Writes one JSON object, member by member.
class ObjectWriter {
 public:
  explicit ObjectWriter(ByteBuffer& out) : out_(out) { out_.Append("{"); }
  void Name(std::string_view name) {
    if (!first_) out_.Append(",");
    first_ = false;
    object::AppendJsonString(out_, name);
    out_.Append(":");
  }
  void Text(std::string_view name, std::string_view text) {
    Name(name);
    object::AppendJsonString(out_, text);
  }
  // What is empty or zero is left out.
  void TextIfAny(std::string_view name, std::string_view text) {
    if (!text.empty()) Text(name, text);
  }
  void NumberIfAny(std::string_view name, int64_t number) {
    if (number == 0) return;
    Name(name);
    object::AppendJsonInt(out_, number);
  }
  void ObjectIfAny(std::string_view name, const std::optional<ClaimedObject>& object) {
    if (!object) return;
    Name(name);
    ObjectWriter inner(out_);
    inner.TextIfAny("name", object->name);
    inner.TextIfAny("uid", object->uid);
    inner.End();
  }
  void End() { out_.Append("}"); }

 private:
  ByteBuffer& out_;
  bool first_ = true;
};

std::unexpected<Status> WrongType(std::string_view claim) {
  return Fail(StatusReason::kUnauthorized,
              "claim " + std::string(claim) + " of the token has the wrong type");
}

Result<std::string> ReadText(const object::Value& claims, std::string_view name) {
  const object::Value* found = claims.Find(name);
  if (found == nullptr || found->is_null()) return std::string();
  if (!found->is_string()) return WrongType(name);
  return std::string(found->AsText());
}

// Seconds, possibly with a fraction, which is dropped.
Result<int64_t> ReadTime(const object::Value& claims, std::string_view name) {
  const object::Value* found = claims.Find(name);
  if (found == nullptr || found->is_null()) return 0;
  if (found->tag() == object::Tag::kInt) return found->AsInt();
  if (found->tag() != object::Tag::kDouble) return WrongType(name);
  const double seconds = found->AsDouble();
  if (!(std::abs(seconds) < 1e15)) return WrongType(name);
  return static_cast<int64_t>(seconds);
}

Result<std::optional<ClaimedObject>> ReadObject(const object::Value& claims,
                                                std::string_view name) {
  const object::Value* found = claims.Find(name);
  if (found == nullptr || found->is_null()) return std::nullopt;
  if (!found->is_map()) return WrongType(name);
  ClaimedObject object;
  SKIFF_ASSIGN_OR_RETURN(object.name, ReadText(*found, "name"));
  SKIFF_ASSIGN_OR_RETURN(object.uid, ReadText(*found, "uid"));
  return object;
}

Result<void> ReadPrivate(const object::Value& claims, ServiceAccountClaims& out) {
  const object::Value* ours = claims.Find("kubernetes.io");
  if (ours == nullptr || ours->is_null()) return {};
  if (!ours->is_map()) return WrongType("kubernetes.io");
  SKIFF_ASSIGN_OR_RETURN(out.name_space, ReadText(*ours, "namespace"));
  SKIFF_ASSIGN_OR_RETURN(auto service_account, ReadObject(*ours, "serviceaccount"));
  if (service_account) out.service_account = std::move(*service_account);
  SKIFF_ASSIGN_OR_RETURN(out.pod, ReadObject(*ours, "pod"));
  SKIFF_ASSIGN_OR_RETURN(out.secret, ReadObject(*ours, "secret"));
  SKIFF_ASSIGN_OR_RETURN(out.node, ReadObject(*ours, "node"));
  SKIFF_ASSIGN_OR_RETURN(out.warn_after, ReadTime(*ours, "warnafter"));
  return {};
}

}  // namespace

Result<std::vector<std::string>> ReadAudiences(const object::Value& claims) {
  std::vector<std::string> audiences;
  const object::Value* found = claims.Find("aud");
  if (found == nullptr || found->is_null()) return audiences;
  if (found->is_string()) {
    audiences.emplace_back(found->AsText());
    return audiences;
  }
  if (!found->is_list()) return WrongType("aud");
  for (const object::Value& item : found->items()) {
    if (!item.is_string()) return WrongType("aud");
    audiences.emplace_back(item.AsText());
  }
  return audiences;
}

Result<ServiceAccountClaims> ServiceAccountClaims::Read(const object::Value& claims) {
  ServiceAccountClaims out;
  SKIFF_ASSIGN_OR_RETURN(out.issuer, ReadText(claims, "iss"));
  SKIFF_ASSIGN_OR_RETURN(out.subject, ReadText(claims, "sub"));
  SKIFF_ASSIGN_OR_RETURN(out.id, ReadText(claims, "jti"));
  SKIFF_ASSIGN_OR_RETURN(out.audiences, ReadAudiences(claims));
  SKIFF_ASSIGN_OR_RETURN(out.expires, ReadTime(claims, "exp"));
  SKIFF_ASSIGN_OR_RETURN(out.issued, ReadTime(claims, "iat"));
  SKIFF_ASSIGN_OR_RETURN(out.not_before, ReadTime(claims, "nbf"));
  SKIFF_RETURN_IF_ERROR(ReadPrivate(claims, out));
  return out;
}

std::string ServiceAccountClaims::ToJson() const {
  ByteBuffer out;
  ObjectWriter writer(out);
  if (!audiences.empty()) {
    writer.Name("aud");
    for (size_t i = 0; i < audiences.size(); ++i) {
      out.Append(i == 0 ? "[" : ",");
      object::AppendJsonString(out, audiences[i]);
    }
    out.Append("]");
  }
  writer.NumberIfAny("exp", expires);
  writer.NumberIfAny("iat", issued);
  writer.TextIfAny("iss", issuer);
  writer.TextIfAny("jti", id);
  writer.Name("kubernetes.io");
  ObjectWriter ours(out);
  ours.TextIfAny("namespace", name_space);
  ours.ObjectIfAny("node", node);
  ours.ObjectIfAny("pod", pod);
  ours.ObjectIfAny("secret", secret);
  ours.ObjectIfAny("serviceaccount", service_account);
  ours.NumberIfAny("warnafter", warn_after);
  ours.End();
  writer.NumberIfAny("nbf", not_before);
  writer.TextIfAny("sub", subject);
  writer.End();
  return std::string(out.view());
}

std::string LegacyClaims::ToJson() const {
  ByteBuffer out;
  ObjectWriter writer(out);
  const std::string prefix(kLegacyPrefix);
  writer.Text("iss", kLegacyIssuer);
  writer.Text(prefix + "namespace", name_space);
  writer.Text(prefix + "secret.name", secret);
  writer.Text(prefix + "service-account.name", service_account);
  writer.Text(prefix + "service-account.uid", service_account_uid);
  writer.Text("sub", subject);
  writer.End();
  return std::string(out.view());
}

LegacyClaims LegacyClaims::Read(const object::Value& claims) {
  const auto text = [&](std::string_view name) {
    return ReadText(claims, name).value_or(std::string());
  };
  const std::string prefix(kLegacyPrefix);
  return {.subject = text("sub"),
          .name_space = text(prefix + "namespace"),
          .secret = text(prefix + "secret.name"),
          .service_account = text(prefix + "service-account.name"),
          .service_account_uid = text(prefix + "service-account.uid")};
}

std::string ServiceAccountUserName(std::string_view name_space, std::string_view name) {
  std::string user(kUserPrefix);
  user.append(name_space).append(":").append(name);
  return user;
}

UserInfo ServiceAccountUser(std::string_view name_space, std::string_view name,
                            std::string_view uid) {
  UserInfo user;
  user.name = ServiceAccountUserName(name_space, name);
  user.uid = uid;
  user.groups = {kServiceAccountsGroup,
                 std::string(kServiceAccountsGroup) + ":" + std::string(name_space)};
  return user;
}

}  // namespace skiff::serving
