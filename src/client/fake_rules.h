// What the schema's tables say that a server does to objects on the way in. For fake_objects.h.
#pragma once

#include <optional>
#include <string_view>

#include "client/client.h"
#include "client/object.h"
#include "object/scalar/time.h"

namespace skiff::client {

void PrepareForCreate(const ApiResource& resource, object::Document& object);
// `subresource` is empty for the object itself. What it may not change is as in `old` afterwards.
void PrepareForUpdate(const ApiResource& resource, std::string_view subresource,
                      const object::Document& old, object::Document& object);
// The finalizers of garbage collection that the object gets or loses when it is deleted.
void SetPropagation(const ApiResource& resource, std::string_view propagation,
                    object::Document& object);
// How long the object may take to end. Zero but for pods that run.
int64_t GraceSeconds(const ApiResource& resource, const std::optional<int64_t>& asked,
                     const object::Document& object);
// On its way out, so many seconds from now; a second deletion can only hasten it.
void MarkDeleted(object::Document& object, int64_t grace, object::Timestamp now);
// Whether nothing keeps an object that is being deleted.
bool MayGo(const ApiResource& resource, const object::Document& object);

bool IsNamespace(const ApiResource& resource);

// 404 pods "a" not found, and others as Kubernetes words them.
Status FakeNotFound(const ApiResource& resource, std::string_view name);
Status FakeExists(const ApiResource& resource, std::string_view name);
Status FakeConflict(const ApiResource& resource, std::string_view name, std::string_view why);
Status FakeInvalid(const ApiResource& resource, std::string_view name, StatusCause cause);
Status FakeForbidden(const ApiResource& resource, std::string_view name, std::string_view why);
Status FakeUnknownResource();

// Fails when what the caller knew of the object is not what it is.
Result<void> CheckPreconditions(const ApiResource& resource, const DeleteChoice& how,
                                const object::Document& object);

}  // namespace skiff::client
