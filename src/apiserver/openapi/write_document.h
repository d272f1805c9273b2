// Whole OpenAPI documents, as compact JSON.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "apiserver/openapi/custom_kinds.h"
#include "apiserver/openapi/descriptions.h"
#include "apiserver/openapi/operations.h"
#include "base/buffer.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

// `server_version` is shown as that of the API: "v1.36.4". Types are those that the paths name,
// with what `descriptions` tell of them, which several documents may share.
//
// Version 3.0: one document per group-version, which is `version`; null for the documents of the
// server and of whole groups.
void WriteOpenApiV3(std::span<const OpenApiPath> paths, const object::GroupVersionDesc* version,
                    std::string_view server_version, Descriptions& descriptions, ByteBuffer& out);

// Of the kinds of one group-version that are defined at run time.
void WriteCustomOpenApiV3(std::span<const CustomKind> kinds, Descriptions& descriptions,
                          ByteBuffer& out);

// Version 2.0 (Swagger): all in one document. Parameters that many operations share are written
// once, save those that older clients look for in the operation itself. `next` gives the paths
// piece by piece, so that they need not be in memory all at once, and nothing at the end. `custom`
// calls what it is given with the kinds that are defined at run time, group-version by
// group-version.
using VisitCustomKinds = std::function<void(const CustomKinds::Visit&)>;
void WriteOpenApiV2(const std::function<std::vector<OpenApiPath>()>& next,
                    const VisitCustomKinds& custom, std::string_view server_version,
                    Descriptions& descriptions, ByteBuffer& out);

}  // namespace skiff::apiserver
