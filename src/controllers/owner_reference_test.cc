#include "controllers/owner_reference.h"

#include <gtest/gtest.h>

#include "client/object.h"
#include "controllers/objects.h"

namespace skiff::controllers {
namespace {

constexpr std::string_view kOwned = R"({"metadata":{"name":"a","uid":"me","finalizers":["orphan"],
    "ownerReferences":[
      {"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"u1","controller":true,
       "blockOwnerDeletion":true},
      {"apiVersion":"example.com/v1","kind":"Widget","name":"w","uid":"u2"}]}})";

TEST(OwnerReferenceTest, IsReadFromObjectsWithAndWithoutAType) {
  const client::ApiResource custom{
      .group = "example.com", .version = "v1", .name = "w", .kind = "W"};
  for (const client::ApiResource& resource : {custom, client::BuiltIn("", "v1", "configmaps")}) {
    const client::ObjectPtr object = client::ParseObject(resource, kOwned).value();
    const std::vector<OwnerReference> owners = OwnersOf(*object);
    ASSERT_EQ(owners.size(), 2U);
    EXPECT_TRUE(owners[0].blocks());
    EXPECT_EQ(owners[0].controller, true);
    EXPECT_FALSE(owners[1].blocks());
    EXPECT_EQ(owners[1].block_owner_deletion, std::nullopt);
    EXPECT_EQ(IdentityOf(owners[0], "ns").ToString(),
              "[apps/v1/Deployment, namespace: ns, name: web, uid: u1]");
    EXPECT_TRUE(HasFinalizer(*object, kOrphanFinalizer));
    EXPECT_FALSE(HasFinalizer(*object, kForegroundFinalizer));
    EXPECT_EQ(OwnersPatch("me", "7", owners),
              R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",)"
              R"("name":"web","uid":"u1","controller":true,"blockOwnerDeletion":true},)"
              R"({"apiVersion":"example.com/v1","kind":"Widget","name":"w","uid":"u2"}],)"
              R"("resourceVersion":"7","uid":"me"}})");
  }
}

TEST(OwnerReferenceTest, PatchesNameTheObjectThatTheyMean) {
  const std::vector<std::string> owners = {"u1", "u\"2"};
  EXPECT_EQ(DisownPatch("me", owners),
            R"({"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u1"},)"
            R"({"$patch":"delete","uid":"u\"2"}],"uid":"me"}})");
  EXPECT_EQ(FinalizersPatch("me", "7", {}),
            R"({"metadata":{"finalizers":[],"resourceVersion":"7","uid":"me"}})");
}

TEST(OwnerReferenceTest, OtherChangesLeaveOwnershipAsItIs) {
  const client::ApiResource& maps = client::BuiltIn("", "v1", "configmaps");
  const client::ObjectPtr plain =
      client::ParseObject(maps, R"({"metadata":{"name":"a","uid":"me"}})").value();
  const client::ObjectPtr labeled =
      client::ParseObject(
          maps, R"({"metadata":{"name":"a","uid":"me","resourceVersion":"9","labels":{"x":"y"}}})")
          .value();
  const client::ObjectPtr owned = client::ParseObject(maps, kOwned).value();
  EXPECT_TRUE(SameOwnership(*plain, *labeled));
  EXPECT_FALSE(SameOwnership(*plain, *owned));
}

}  // namespace
}  // namespace skiff::controllers
