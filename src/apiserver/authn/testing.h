// Keys made on the spot, objects in memory and answers at once, for tests of tokens.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "apiserver/authn/authenticator.h"
#include "apiserver/authn/bound_object.h"
#include "crypto/openssl.h"

namespace skiff::testing {

struct PemPair {
  std::string private_pem;
  std::string public_pem;
};

// Of "RSA", or of a curve such as "P-256".
inline PemPair MakeKey(const char* kind) {
  const bool is_rsa = std::string_view(kind) == "RSA";
  const openssl::KeyPtr key(is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen(kind));
  EXPECT_NE(key, nullptr);
  PemPair pair;
  for (const bool is_private : {true, false}) {
    const openssl::BioPtr bio = openssl::WriteBio();
    if (is_private) {
      PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    } else {
      PEM_write_bio_PUBKEY(bio.get(), key.get());
    }
    (is_private ? pair.private_pem : pair.public_pem) = openssl::Written(bio);
  }
  return pair;
}

class FakeLookup final : public BoundObjectLookup {
 public:
  void Find(BoundKind kind, std::string name_space, std::string name,
            std::move_only_function<void(Result<BoundObject>)> done) override {
    ++count;
    const auto found = objects.find({kind, name_space, name});
    if (found == objects.end()) {
      done(Fail(StatusReason::kNotFound,
                std::string(BoundResource(kind)) + " \"" + name + "\" not found"));
    } else {
      done(found->second);
    }
  }
  BoundObject& Add(BoundKind kind, std::string name_space, std::string name, std::string uid) {
    BoundObject& object = objects[{kind, std::move(name_space), std::move(name)}];
    object.uid = std::move(uid);
    return object;
  }

  std::map<std::tuple<BoundKind, std::string, std::string>, BoundObject> objects;
  int count = 0;
};

inline Authentication AskToken(TokenAuthenticator& tokens, std::string_view token,
                               WantedAudiences audiences = nullptr) {
  std::optional<Authentication> answer;
  tokens.AuthenticateToken(token, audiences, [&](Authentication a) { answer = std::move(a); });
  EXPECT_TRUE(answer.has_value());
  return answer ? *answer : Authentication{};
}

}  // namespace skiff::testing
