#include "controllers/ttl.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Nodes() { return client::BuiltIn("", "v1", "nodes"); }

class TtlTest : public ControllerTest {
 protected:
  void PutNodes(int from, int to) {
    for (int i = from; i < to; ++i) {
      Put(Nodes(), "{\"metadata\":{\"name\":\"n" + std::to_string(i) + "\"}}");
    }
  }
  void RemoveNodes(int from, int to) {
    for (int i = from; i < to; ++i) Remove(Nodes(), "", "n" + std::to_string(i));
  }
  std::string Ttl(int node = 0) {
    const client::ObjectPtr found = Find(Nodes(), "", "n" + std::to_string(node));
    return found ? std::string(AnnotationOf(*found, "node.alpha.kubernetes.io/ttl")) : "gone";
  }
};

TEST_F(TtlTest, GrowsWithTheNumberOfNodes) {
  PutNodes(0, 100);
  Run(MakeTtlController);
  EXPECT_EQ(Ttl(), "0");
  ExpectQuiet();
  PutNodes(100, 101);
  Settle();
  EXPECT_EQ(Ttl(), "15");
  EXPECT_EQ(Ttl(100), "15");
  PutNodes(101, 501);
  Settle();
  EXPECT_EQ(Ttl(), "30");
  ExpectQuiet();
}

TEST_F(TtlTest, ComesBackDownOnlyWellBelowTheBoundary) {
  PutNodes(0, 101);
  Run(MakeTtlController);
  RemoveNodes(90, 101);
  Settle();
  EXPECT_EQ(Ttl(), "15");
  RemoveNodes(89, 90);
  Settle();
  EXPECT_EQ(Ttl(), "0");
}

TEST_F(TtlTest, IsRestoredAndRetried) {
  PutNodes(0, 1);
  api_.Fail({.verb = client::ClientVerb::kPatch, .times = 3});
  Run(MakeTtlController);
  EXPECT_EQ(Ttl(), "0");
  Put(Nodes(), R"({"metadata":{"name":"n0","annotations":{"node.alpha.kubernetes.io/ttl":"x"}}})");
  Settle();
  EXPECT_EQ(Ttl(), "0");
}

}  // namespace
}  // namespace skiff::controllers
