// Objects of one resource on their way out of the store and into it.
//
// Whatever version an object was stored in, and whatever it lacks, it is read as Kubernetes reads
// it: with the defaults of the version that it is in, normalised, converted to the version that
// this server stores, and with what the resource fills in on reading only. Nearly all objects are
// at rest in just that form; that they are is found out from their bytes, without decoding them.
//
// Owner: ResourceStorage. Immutable; any thread may use it.
#pragma once

#include <functional>
#include <string_view>

#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

class DefaultPlans;

// What a resource fills in when its objects are read, and not when they are written: what older
// servers left open and newer ones decide when the object is created. Empty for most resources.
struct ReadCompletion {
  std::function<void(object::Document& object)> complete;
  // Whether that would change nothing, by the bytes of the message; false also when in doubt.
  std::function<bool(std::string_view message)> is_complete;
};

class StoredObjects {
 public:
  // The defaults outlive it.
  // `keeps_versions`: objects of an open kind stay in the version that they are at rest in.
  StoredObjects(const object::StorageDesc& storage, const DefaultPlans& defaults, bool prefer_json,
                ReadCompletion completion, bool keeps_versions = false)
      : storage_(storage),
        defaults_(defaults),
        prefer_json_(prefer_json),
        keeps_versions_(keeps_versions),
        completion_(std::move(completion)) {}

  // The bytes that stand for the object from now on: the given ones where they need nothing. The
  // error says why they are no object of this resource.
  Result<SharedBytes> Read(const SharedBytes& stored) const;
  // As it is written. The object loses its resourceVersion.
  SharedBytes Encode(object::Document& object) const;

 private:
  bool IsAsWritten(std::string_view stored) const;
  SharedBytes EncodeAll(const object::Document& object) const;
  Result<object::Document> Decode(std::string_view stored) const;
  Result<object::Document> DecodeOpen(std::string_view stored) const;

  const object::StorageDesc& storage_;
  const DefaultPlans& defaults_;
  const bool prefer_json_;
  const bool keeps_versions_;
  const ReadCompletion completion_;
};

}  // namespace skiff::apiserver
