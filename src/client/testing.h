// What tests of control loops stand on: an executor on virtual time, and an API server in memory.
//
//   ManualExecutor executor;
//   FakeApi api(executor);
//   Client client(api, "test");
//   const ObjectPtr pod = api.objects().Put(kPods, R"({"metadata":{"name":"a"}})");
//   ...
//   executor.Advance(std::chrono::seconds(30));
//   EXPECT_EQ(api.objects().All(kPods).size(), 0);
//   api.Close();  // before the loops go away, so that whatever they await ends
#pragma once

#include "client/fake_api.h"
#include "client/fake_objects.h"
#include "client/manual_executor.h"
