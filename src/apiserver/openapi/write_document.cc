#include "apiserver/openapi/write_document.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "apiserver/openapi/media_types.h"
#include "apiserver/openapi/schemas.h"
#include "serving/request/json_writer.h"

namespace skiff::apiserver {
namespace {

using Body = OpenApiOperation::Body;

constexpr std::string_view kBearerToken =
    R"("BearerToken":{"type":"apiKey","description":"Bearer token","name":"authorization",)"
    R"("in":"header"})";

std::string_view CodeText(int code) {
  return code == 200 ? "OK" : code == 201 ? "Created" : code == 202 ? "Accepted" : "Unauthorized";
}

std::string_view InText(const OpenApiParameter& parameter) {
  return parameter.in == OpenApiParameter::kPath ? "path" : "query";
}

// What the dialects have in common; what they have not is written by the two below.
class DocumentWriter {
 public:
  DocumentWriter(OpenApiDialect dialect, const object::GroupVersionDesc* version,
                 Descriptions& descriptions, ByteBuffer& out)
      : json_(out), schemas_(dialect, version, descriptions), dialect_(dialect) {}
  virtual ~DocumentWriter() = default;

 protected:
  virtual void WriteParameter(const OpenApiParameter& parameter) = 0;
  // The members between the operation's id and its answers.
  virtual void WriteRequest(const OpenApiOperation& operation,
                            std::span<const OpenApiParameter> own) = 0;
  virtual void WriteMedia(const OpenApiOperation& operation) = 0;
  virtual void WriteAnswer(const OpenApiOperation& operation) = 0;

  void WriteInfo(std::string_view title, std::string_view version) {
    json_.OpenObject("info");
    json_.String("title", title);
    json_.String("version", version);
    json_.CloseObject();
  }

  void WritePaths(std::span<const OpenApiPath> paths) {
    for (const OpenApiPath& path : paths) WritePath(path);
  }

  void WriteReference(const object::MessageDesc& message) {
    schemas_.Add(message);
    json_.OpenObject();
    json_.String("$ref", SchemaReference(dialect_, SchemaName(message)));
    json_.CloseObject();
  }

  // The schema of what is answered; a string where no type is known.
  void WriteAnswerSchema(const OpenApiOperation& operation) {
    json_.Key("schema");
    if (operation.answer != nullptr) {
      WriteReference(*operation.answer);
    } else {
      json_.Raw(R"({"type":"string"})");
    }
  }

  serving::JsonWriter json_;
  SchemaSet schemas_;

 private:
  void WritePath(const OpenApiPath& path) {
    const std::vector<OpenApiParameter> common = CommonParameters(path);
    json_.OpenObject(path.path);
    for (const OpenApiOperation& operation : path.operations) WriteOperation(operation, common);
    if (!common.empty()) {
      json_.OpenArray("parameters");
      for (const OpenApiParameter& parameter : common) WriteParameter(parameter);
      json_.CloseArray();
    }
    json_.CloseObject();
  }

  void WriteOperation(const OpenApiOperation& operation, std::span<const OpenApiParameter> common) {
    std::vector<OpenApiParameter> own;
    for (const OpenApiParameter& parameter : operation.parameters) {
      if (std::find(common.begin(), common.end(), parameter) == common.end()) {
        own.push_back(parameter);
      }
    }
    json_.OpenObject(operation.method);
    WriteMedia(operation);
    json_.OpenArray("tags");
    json_.String(operation.tag);
    json_.CloseArray();
    json_.String("operationId", operation.id);
    WriteRequest(operation, own);
    WriteAnswers(operation);
    if (!operation.action.empty()) json_.String("x-kubernetes-action", operation.action);
    if (operation.kind_version != nullptr) {
      json_.OpenObject("x-kubernetes-group-version-kind");
      json_.String("group", operation.kind_version->group);
      json_.String("kind", operation.kind);
      json_.String("version", operation.kind_version->version);
      json_.CloseObject();
    }
    json_.CloseObject();
  }

  void WriteAnswers(const OpenApiOperation& operation) {
    json_.OpenObject("responses");
    for (const int code : operation.codes) {
      json_.OpenObject(std::to_string(code));
      json_.String("description", CodeText(code));
      WriteAnswer(operation);
      json_.CloseObject();
    }
    json_.Raw("401", R"({"description":"Unauthorized"})");
    json_.CloseObject();
  }

  const OpenApiDialect dialect_;
};

class V3Writer final : public DocumentWriter {
 public:
  V3Writer(const object::GroupVersionDesc* version, Descriptions& descriptions, ByteBuffer& out)
      : DocumentWriter(OpenApiDialect::kV3, version, descriptions, out) {}

  void Write(std::span<const OpenApiPath> paths, std::string_view server_version) {
    json_.OpenObject();
    json_.String("openapi", "3.0.0");
    WriteInfo("Kubernetes", server_version);
    WriteContents(paths);
    json_.OpenObject("securitySchemes");
    json_.Raw(kBearerToken);
    json_.CloseObject();
    json_.CloseObject();
    json_.CloseObject();
  }

  // Kubernetes calls these documents by another name, and says nothing of how to be known.
  void WriteCustom(std::span<const CustomKind> kinds) {
    std::vector<OpenApiPath> paths;
    for (const CustomKind& kind : kinds) {
      std::ranges::move(CustomKindPaths(*kind.resource), std::back_inserter(paths));
    }
    std::ranges::sort(paths, {}, &OpenApiPath::path);
    json_.OpenObject();
    json_.String("openapi", "3.0.0");
    WriteInfo("Kubernetes CRD Swagger", "v0.1.0");
    schemas_.AddCustom(kinds);
    WriteContents(paths);
    json_.CloseObject();
    json_.CloseObject();
  }

 private:
  // Leaves the components open.
  void WriteContents(std::span<const OpenApiPath> paths) {
    json_.OpenObject("paths");
    WritePaths(paths);
    json_.CloseObject();
    json_.OpenObject("components");
    if (schemas_.empty()) return;
    json_.OpenObject("schemas");
    schemas_.Write(json_);
    json_.CloseObject();
  }

  void WriteParameter(const OpenApiParameter& parameter) override {
    json_.OpenObject();
    json_.String("name", parameter.name);
    json_.String("in", InText(parameter));
    if (parameter.in == OpenApiParameter::kPath) json_.Bool("required", true);
    json_.OpenObject("schema");
    json_.String("type", parameter.type);
    json_.Bool("uniqueItems", true);
    json_.CloseObject();
    json_.CloseObject();
  }

  void WriteRequest(const OpenApiOperation& operation,
                    std::span<const OpenApiParameter> own) override {
    if (!own.empty()) {
      json_.OpenArray("parameters");
      for (const OpenApiParameter& parameter : own) WriteParameter(parameter);
      json_.CloseArray();
    }
    if (operation.body == Body::kNone) return;
    json_.OpenObject("requestBody");
    json_.OpenObject("content");
    WriteContent(RequestMediaTypes(operation), [&] {
      json_.Key("schema");
      WriteReference(*operation.body_type);
    });
    json_.CloseObject();
    if (operation.body != Body::kDeleteOptions) json_.Bool("required", true);
    json_.CloseObject();
  }

  void WriteMedia(const OpenApiOperation&) override {}

  void WriteAnswer(const OpenApiOperation& operation) override {
    json_.OpenObject("content");
    WriteContent(AnswerMediaTypes(operation.media), [&] { WriteAnswerSchema(operation); });
    json_.CloseObject();
  }

  template <typename F>
  void WriteContent(std::span<const std::string_view> types, F write_schema) {
    std::vector<std::string_view> sorted(types.begin(), types.end());
    std::sort(sorted.begin(), sorted.end());
    for (const std::string_view type : sorted) {
      json_.OpenObject(type);
      write_schema();
      json_.CloseObject();
    }
  }
};

class V2Writer final : public DocumentWriter {
 public:
  V2Writer(Descriptions& descriptions, ByteBuffer& out)
      : DocumentWriter(OpenApiDialect::kV2, nullptr, descriptions, out) {}

  void Write(const std::function<std::vector<OpenApiPath>()>& next, const VisitCustomKinds& custom,
             std::string_view server_version) {
    json_.OpenObject();
    json_.String("swagger", "2.0");
    WriteInfo("Kubernetes", server_version);
    json_.OpenObject("paths");
    for (std::vector<OpenApiPath> paths = next(); !paths.empty(); paths = next()) {
      WritePaths(paths);
    }
    custom([this](std::span<const CustomKind> kinds) {
      schemas_.AddCustom(kinds);
      for (const CustomKind& kind : kinds) WritePaths(CustomKindPaths(*kind.resource));
    });
    json_.CloseObject();
    json_.OpenObject("definitions");
    schemas_.Write(json_);
    json_.CloseObject();
    json_.OpenObject("parameters");
    for (const auto& [name, parameter] : shared_) {
      json_.Key(name);
      WriteWhole(parameter);
    }
    json_.CloseObject();
    json_.OpenObject("securityDefinitions");
    json_.Raw(kBearerToken);
    json_.CloseObject();
    json_.Raw("security", R"([{"BearerToken":[]}])");
    json_.CloseObject();
  }

 private:
  // Clients of old look for these in the operation, to know what it can do.
  static bool IsShared(const OpenApiParameter& parameter) {
    return parameter.name != "dryRun" && parameter.name != "fieldValidation" &&
           parameter.name != "name";
  }

  void WriteWhole(const OpenApiParameter& parameter) {
    json_.OpenObject();
    json_.Bool("uniqueItems", true);
    json_.String("type", parameter.type);
    json_.String("name", parameter.name);
    json_.String("in", InText(parameter));
    if (parameter.in == OpenApiParameter::kPath) json_.Bool("required", true);
    json_.CloseObject();
  }

  void WriteParameter(const OpenApiParameter& parameter) override {
    if (!IsShared(parameter)) return WriteWhole(parameter);
    const std::string name = std::string(parameter.name).append("-").append(InText(parameter));
    shared_.try_emplace(name, parameter);
    json_.OpenObject();
    json_.String("$ref", "#/parameters/" + name);
    json_.CloseObject();
  }

  void WriteRequest(const OpenApiOperation& operation,
                    std::span<const OpenApiParameter> own) override {
    if (own.empty() && operation.body == Body::kNone) return;
    json_.OpenArray("parameters");
    if (operation.body != Body::kNone) {
      json_.OpenObject();
      json_.String("name", "body");
      json_.String("in", "body");
      if (operation.body != Body::kDeleteOptions) json_.Bool("required", true);
      json_.Key("schema");
      WriteReference(*operation.body_type);
      json_.CloseObject();
    }
    for (const OpenApiParameter& parameter : own) WriteParameter(parameter);
    json_.CloseArray();
  }

  void WriteMedia(const OpenApiOperation& operation) override {
    const auto consumes = RequestMediaTypes(operation);
    if (!consumes.empty()) json_.StringArray("consumes", consumes);
    json_.StringArray("produces", AnswerMediaTypes(operation.media));
    json_.Raw("schemes", R"(["https"])");
  }

  void WriteAnswer(const OpenApiOperation& operation) override { WriteAnswerSchema(operation); }

  std::map<std::string, OpenApiParameter> shared_;
};

}  // namespace

void WriteOpenApiV3(std::span<const OpenApiPath> paths, const object::GroupVersionDesc* version,
                    std::string_view server_version, Descriptions& descriptions, ByteBuffer& out) {
  V3Writer(version, descriptions, out).Write(paths, server_version);
}

void WriteCustomOpenApiV3(std::span<const CustomKind> kinds, Descriptions& descriptions,
                          ByteBuffer& out) {
  V3Writer(nullptr, descriptions, out).WriteCustom(kinds);
}

void WriteOpenApiV2(const std::function<std::vector<OpenApiPath>()>& next,
                    const VisitCustomKinds& custom, std::string_view server_version,
                    Descriptions& descriptions, ByteBuffer& out) {
  V2Writer(descriptions, out).Write(next, custom, server_version);
}

}  // namespace skiff::apiserver
