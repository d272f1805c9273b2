#include "apiserver/registry/core/service_account_behaviour.h"

#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Of the secrets of an account only names count.
void CleanSecrets(object::Document& object) {
  core::MutableServiceAccount account(object);
  const auto secrets = account.Read().secrets();
  for (size_t i = 0; i < secrets.size(); ++i) {
    object::Value* item = object.root().Find("secrets");
    object::Value& secret = item->items()[i];
    for (const std::string_view field :
         {"kind", "namespace", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
      secret.Erase(field);
    }
  }
}

void CreateAccount(const WriteContext&, object::Document& object) { CleanSecrets(object); }

void UpdateAccount(const WriteContext&, const object::Document&, object::Document& object) {
  CleanSecrets(object);
}

}  // namespace

constinit const KindStrategy kServiceAccountStrategy = {"", "serviceaccounts", CreateAccount,
                                                        UpdateAccount};

}  // namespace skiff::apiserver
