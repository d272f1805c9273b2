// The rules that hold for writes of every kind: what of the metadata the client may choose, which
// names are valid, and what must agree between the URL and the body.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// kInvalid, with all that is wrong with an object that is about to be stored: its metadata
// (meta_validation.h), what its behaviour finds, and the rules of its kind or, where it has none
// for an update, what may not change by the schema. What is valid and yet questionable is added to
// `warnings`.
Result<void> CheckNewObject(const Endpoint& endpoint, WriteContext& write, object::Document& object,
                            std::vector<std::string>& warnings);
Result<void> CheckChangedObject(const Endpoint& endpoint, WriteContext& write,
                                object::Document& old, object::Document& object,
                                std::vector<std::string>& warnings);

// The name of the body must be that of the URL.
Result<void> CheckName(std::string_view name, std::string_view url_name);
// The namespace of the body must be that of the URL, or left out.
Result<void> TakeNamespace(const Endpoint& endpoint, std::string_view url_namespace,
                           object::Document& object);

// The name of an object whose writer left it to the server: made of its generateName, or of nothing
// for the one kind that may do without. Empty: there can be none.
std::string ServerChosenName(const object::ResourceDesc& resource, std::string_view prefix,
                             Random& random);
// Of an object about to be created: what only the server may set is cleared.
Result<void> ClearMetaForCreate(const Endpoint& endpoint, std::string_view url_namespace,
                                object::Document& object);
// And then set; after admission, which may have brought in what is cleared once more. A name that
// is missing is for CheckNewObject() to find.
Result<void> FillMetaForCreate(const Endpoint& endpoint, std::string_view url_namespace,
                               object::Document& object, Random& random, object::Timestamp now);
// Of an object about to replace `old`: what no update changes is as it was.
void FillMetaForUpdate(object::Document& old, object::Document& object);

// Owners that stand in the list more than once stand there once, with a warning.
void DropDuplicateOwners(object::Document& object, bool after_admission,
                         std::vector<std::string>& warnings);

// Whether the update leaves an object that is being deleted with nothing to wait for.
bool IsGone(object::Document& old, object::Document& object);

}  // namespace skiff::apiserver
