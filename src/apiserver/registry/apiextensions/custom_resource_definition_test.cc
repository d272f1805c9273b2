#include <gtest/gtest.h>

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

// As it is stored: with what all versions have in common beside them.
const RulesTester& Definition() {
  static const RulesTester tester(
      "apiextensions.k8s.io/v1beta1", "CustomResourceDefinition",
      R"({"metadata": {"name": "foos.example.com"}, "spec": {"group": "example.com",
      "version": "v1", "scope": "Namespaced", "preserveUnknownFields": false,
      "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
      "versions": [{"name": "v1", "served": true, "storage": true}],
      "validation": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}}},
      "status": {"storedVersions": ["v1"]}})");
  return tester;
}

TEST(DefinitionRulesTest, NamesAndVersionsAreWellFormed) {
  Definition().ExpectNew({
      {"metadata.name=bars.example.com", "metadata.name Invalid"},
      {"spec.group=example & metadata.name=foos.example", "spec.group Invalid"},
      {"spec.scope=", "spec.scope Required"},
      {"spec.scope=X", "spec.scope NotSupported"},
      {"spec.names.singular= & spec.names.listKind=",
       "spec.names.singular Required; spec.names.listKind Required"},
      {"spec.names.kind=Foo_", "spec.names.kind Invalid"},
      {"spec.names.listKind=Foo", "spec.names.listKind Invalid"},
      {"spec.names.shortNames=[\"F\"] & spec.names.categories=[\"A\"]",
       "spec.names.shortNames[0] Invalid; spec.names.categories[0] Invalid"},
      {"spec.versions[0].name=V1 & spec.version=V1 & status.storedVersions=[\"V1\"]",
       "spec.versions[0].name Invalid; spec.version Invalid"},
      {"spec.version=v2", "spec.version Invalid"},
      {"spec.versions[0].storage=false", "spec.versions Invalid"},
      {"spec.versions[1]={\"name\": \"v1\", \"served\": true}", "spec.versions Invalid"},
      {"spec.versions[0].deprecationWarning=x", "spec.versions[0].deprecationWarning Invalid"},
      {"spec.versions[0].deprecationWarning=x & spec.versions[0].deprecated=true", ""},
      {"spec.validation=", "spec.versions[0].schema.openAPIV3Schema Required"},
      {"status.storedVersions=", "status.storedVersions Invalid"},
      {"status.storedVersions=[\"v1\",\"v0\"]", "status.storedVersions[1] Invalid"},
      {"spec.preserveUnknownFields=true", "spec.preserveUnknownFields Invalid"},
      {"spec.group=x.k8s.io & metadata.name=foos.x.k8s.io",
       "metadata.annotations[api-approved.kubernetes.io] Required"},
      {"spec.group=x.k8s.io & metadata.name=foos.x.k8s.io & "
       "metadata.annotations={\"api-approved.kubernetes.io\": \"https://a/b\"}",
       ""},
  });
}

TEST(DefinitionRulesTest, AFormatThatMeansNothingIsTold) {
  using Texts = std::vector<std::string>;
  const auto schema = [](std::string_view properties) {
    return "spec.validation.openAPIV3Schema.properties.spec.properties=" + std::string(properties);
  };
  EXPECT_EQ(Definition().Warnings(""), Texts());
  EXPECT_EQ(Definition().Warnings(schema(R"({"a": {"type": "string", "format": "date-time"},
      "b": {"type": "integer", "format": "int32"}, "c": {"type": "number", "format": "double"},
      "d": {"format": "k8s-short-name"}, "e": {"type": "string", "format": "uuid4"}})")),
            Texts());
  EXPECT_EQ(Definition().Warnings(schema(R"({"a": {"type": "string", "format": "int32"},
      "b": {"type": "integer", "format": "int16"}, "c": {"type": "number", "format": "int32"},
      "d": {"type": "array", "items": {"type": "string", "format": "shoe-size"}},
      "e": {"type": "object", "format": "date"}})")),
            Texts({"unrecognized format \"date\"", "unrecognized format \"int16\"",
                   "unrecognized format \"int32\"", "unrecognized format \"shoe-size\""}));
  EXPECT_EQ(Definition().Warnings("spec.validation= & spec.versions[0].schema.openAPIV3Schema="
                                  R"({"type": "object", "format": "x"})"),
            Texts({"unrecognized format \"x\""}));
  const std::string odd = schema(R"({"a": {"type": "string", "format": "odd"}})");
  EXPECT_EQ(Definition().ChangeWarnings(odd, odd), Texts());
  EXPECT_EQ(Definition().ChangeWarnings("", odd), Texts({"unrecognized format \"odd\""}));
}

TEST(DefinitionRulesTest, ColumnsScalesAndConversionsAreChecked) {
  Definition().ExpectNew({
      {"spec.additionalPrinterColumns=[{\"type\": \"x\", \"format\": \"x\", \"JSONPath\": \"a\"}]",
       "spec.additionalPrinterColumns[0].name Required; "
       "spec.additionalPrinterColumns[0].type Invalid; "
       "spec.additionalPrinterColumns[0].format Invalid; "
       "spec.additionalPrinterColumns[0].JSONPath Invalid"},
      {"spec.subresources.scale={}",
       "spec.subresources.scale.specReplicasPath Required; "
       "spec.subresources.scale.statusReplicasPath Required"},
      {"spec.subresources.scale={\"specReplicasPath\": \".a\", \"statusReplicasPath\": "
       "\".status.r\", \"labelSelectorPath\": \".x\"}",
       "spec.subresources.scale.specReplicasPath Invalid; "
       "spec.subresources.scale.labelSelectorPath Invalid"},
      {"spec.selectableFields=[{\"jsonPath\": \".spec.a\"},{\"jsonPath\": \".spec.b\"},"
       "{\"jsonPath\": \".spec\"}]",
       "spec.selectableFields[1].jsonPath Invalid; spec.selectableFields[2].jsonPath Invalid"},
      {"spec.conversion={\"strategy\": \"X\"}", "spec.conversion.strategy NotSupported"},
      {"spec.conversion={\"strategy\": \"Webhook\"}",
       "spec.conversion.webhookClientConfig Required; "
       "spec.conversion.conversionReviewVersions Required"},
      {"spec.conversion={\"strategy\": \"Webhook\", \"conversionReviewVersions\": [\"v9\"], "
       "\"webhookClientConfig\": {\"url\": \"https://a/b\"}}",
       "spec.conversion.conversionReviewVersions Invalid"},
      {"spec.conversion={\"strategy\": \"None\", \"conversionReviewVersions\": [\"v1\"]}",
       "spec.conversion.conversionReviewVersions Forbidden"},
  });
}

std::string WithSchema(std::string_view json) {
  return Definition().New("spec.validation.openAPIV3Schema=" + std::string(json));
}

TEST(DefinitionRulesTest, SchemasAreStructural) {
  const std::string at = "spec.validation.openAPIV3Schema.";
  EXPECT_EQ(WithSchema("{}"), at + "type Required");
  EXPECT_EQ(WithSchema(R"({"type":"string"})"), at + "type Invalid");
  EXPECT_EQ(WithSchema(R"({"type":"object","properties":{"a":{}}})"),
            at + "properties[a].type Required");
  EXPECT_EQ(WithSchema(R"({"type":"object","properties":{"a":{"type":"array"}}})"),
            at + "properties[a].items Required");
  EXPECT_EQ(WithSchema(R"({"type":"object","additionalProperties":true})"),
            at + "additionalProperties Forbidden");
  EXPECT_EQ(WithSchema(R"({"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,
      "anyOf":[{"type":"integer"},{"type":"string"}]}}})"),
            "");
  EXPECT_EQ(WithSchema(R"({"type":"object","anyOf":[{"type":"object"}]})"),
            at + "anyOf[0].type Forbidden");
  EXPECT_EQ(WithSchema(R"({"type":"object","anyOf":[{"properties":{"z":{"minimum":1}}}]})"),
            at + "properties[z] Required");
  EXPECT_EQ(WithSchema(R"({"type":"object","properties":{"metadata":{"type":"object",
      "properties":{"labels":{"type":"object"}}}}})"),
            at + "properties[metadata] Forbidden");
}

TEST(DefinitionRulesTest, SchemasSayNothingThatIsNotSupported) {
  const std::string at = "spec.validation.openAPIV3Schema.";
  EXPECT_EQ(WithSchema(R"({"type":"object","nullable":true})"), at + "nullable Forbidden");
  EXPECT_EQ(WithSchema(R"({"type":"object","$ref":"x","id":"y"})"),
            at + "id Forbidden; " + at + "$ref Forbidden");
  EXPECT_EQ(WithSchema(R"({"type":"object","properties":{"a":{"type":"what"}}})"),
            at + "properties[a].type NotSupported");
  const std::string list = R"({"type":"object","properties":{"a":{"type":"array",)";
  EXPECT_EQ(WithSchema(list + R"("uniqueItems":true,"items":{"type":"string"}}}})"),
            at + "properties[a].uniqueItems Forbidden");
  EXPECT_EQ(WithSchema(list + R"("x-kubernetes-list-type":"map","items":{"type":"object",
      "properties":{"k":{"type":"string"}}}}}})"),
            at + "properties[a].x-kubernetes-list-map-keys Required");
  EXPECT_EQ(WithSchema(list + R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
      "items":{"type":"object","properties":{"k":{"type":"string"}}}}}})"),
            at + "properties[a].items.properties[k].default Required");
  EXPECT_EQ(WithSchema(list + R"("x-kubernetes-list-type":"set","items":{"type":"object"}}}})"),
            at + "properties[a].items.x-kubernetes-map-type Invalid");
  EXPECT_EQ(WithSchema(R"({"type":"object","x-kubernetes-map-type":"x"})"),
            at + "x-kubernetes-map-type NotSupported");
  EXPECT_EQ(
      WithSchema(R"({"type":"object","properties":{"kind":{"type":"string","default":"x"}}})"),
      at + "properties[kind].default Forbidden");
  EXPECT_EQ(
      WithSchema(R"({"type":"object","x-kubernetes-validations":[{"rule":" ","reason":"x"}]})"),
      at + "x-kubernetes-validations[0].rule Required; " + at +
          "x-kubernetes-validations[0].reason NotSupported");
  const auto with_path = [](std::string_view path) {
    return WithSchema(R"({"type":"object","properties":{"a":{"type":"object",
        "additionalProperties":{"type":"string"}}},"x-kubernetes-validations":[{"rule":"true",
        "fieldPath":")" +
                      std::string(path) + R"("}]})");
  };
  EXPECT_EQ(with_path(".a"), "");
  EXPECT_EQ(with_path(".a['k']"), "");
  EXPECT_EQ(with_path(".b"), at + "x-kubernetes-validations[0].fieldPath Invalid");
  EXPECT_EQ(with_path("a"), at + "x-kubernetes-validations[0].fieldPath Invalid");
  EXPECT_EQ(Definition().New("spec.subresources.status={} & "
                             "spec.validation.openAPIV3Schema.not={\"required\":[\"x\"]}"),
            "spec.validation.openAPIV3Schema Invalid");
}

TEST(DefinitionRulesTest, PatternsAreRegularExpressionsOfGo) {
  const auto with_pattern = [](std::string_view pattern) {
    return WithSchema(R"({"type":"object","properties":{"a":{"type":"string","pattern":")" +
                      std::string(pattern) + R"("}}})");
  };
  for (const char* good : {"^a*b+?c{2,3}$", "(?i:x)", "(?P<n>x)", "(?<n>x)", "[^]]", "a{",
                           "a{1000}", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}) {
    EXPECT_EQ(with_pattern(good), "") << good;
  }
  for (const char* bad :
       {"(", "a)", "[", "*a", "a**", "(?=a)", "a{3,2}", "a{1001}", "((a{1000}){1000}){1000}"}) {
    EXPECT_EQ(with_pattern(bad), "spec.validation.openAPIV3Schema.properties[a].pattern Invalid")
        << bad;
  }
}

TEST(DefinitionRulesTest, DefaultsFollowTheirSchema) {
  const std::string at = "spec.validation.openAPIV3Schema.properties[a].default";
  const auto with_default = [](std::string_view json) {
    return WithSchema(R"({"type":"object","properties":{"a":)" + std::string(json) + "}}");
  };
  EXPECT_EQ(with_default(R"({"type":"string","default":"x"})"), "");
  EXPECT_EQ(with_default(R"({"type":"string","default":5})"), at + " TypeInvalid");
  EXPECT_EQ(with_default(R"({"type":"integer","default":1.5})"),
            at + " TypeInvalid; " + at + " Invalid");
  EXPECT_EQ(with_default(R"({"type":"number","default":1})"), "");
  EXPECT_EQ(with_default(R"({"x-kubernetes-int-or-string":true,"default":"50%"})"), "");
  EXPECT_EQ(with_default(R"({"type":"string","enum":["x"],"default":"y"})"), at + " NotSupported");
  EXPECT_EQ(with_default(R"({"type":"integer","minimum":2,"default":1})"), at + " Invalid");
  EXPECT_EQ(with_default(R"({"type":"object","properties":{"b":{"type":"string"}},
      "required":["b"],"default":{}})"),
            at + ".b Required");
  EXPECT_EQ(with_default(R"({"type":"object","properties":{"b":{"type":"string"}},
      "default":{"b":"x","c":1}})"),
            at + " Invalid");
  EXPECT_EQ(with_default(R"({"type":"array","items":{"type":"string"},"default":["x",1]})"),
            at + ".[1] TypeInvalid");
  EXPECT_EQ(with_default(R"({"type":"string","format":"date","default":"today"})"),
            at + " TypeInvalid");
  EXPECT_EQ(with_default(R"({"type":"string","pattern":"^b","default":"a"})"), at + " Invalid");
}

TEST(DefinitionRulesTest, AnEstablishedDefinitionKeepsItsNames) {
  constexpr std::string_view kEstablished =
      "status.conditions=[{\"type\": \"Established\", \"status\": \"True\"}]";
  Definition().ExpectChanged({
      {"", "spec.names.kind=Bar & spec.scope=Cluster", ""},
      {kEstablished, "spec.names.kind=Bar & spec.scope=Cluster",
       "spec.scope Invalid; spec.names.kind Invalid"},
      {"", "spec.group=other.com & spec.names.plural=bars",
       "spec.group Invalid; spec.names.plural Invalid"},
      {"spec.preserveUnknownFields=true & spec.validation=", "spec.names.shortNames=[\"f\"]", ""},
  });
  Definition().ExpectChanged(
      {{"", "status.acceptedNames.kind=_", "status.acceptedNames.kind Invalid"}}, "status");
}

TEST(DefinitionRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(
      Definition().NewMessages("spec.names.kind=Foo_ & spec.names.listKind=FooList"),
      "spec.names.kind: Invalid value: \"Foo_\": may have mixed case, but should otherwise "
      "match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
      "with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
      "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  EXPECT_EQ(
      Definition().ChangedMessages("status.storedVersions=[\"v0\", \"v1\"]", ""),
      "status.storedVersions[0]: Invalid value: \"v0\": missing from spec.versions; v0 was "
      "previously a storage version, and must remain in spec.versions until a storage migration "
      "ensures no data remains persisted in v0 and removes v0 from status.storedVersions");
}

}  // namespace
}  // namespace skiff::apiserver
