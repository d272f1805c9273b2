#include "apiserver/rest/list_encoder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/list.h"
#include "apiserver/rest/stepping_clock.h"
#include "base/random.h"
#include "net/testing_responder.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/selector/label_selector.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

class ListEncoderTest : public testing::Test {
 protected:
  store::ListReply Reply(int objects, std::string_view selector = "", int64_t limit = 0) {
    store::OrderedIndex index;
    for (int i = 0; i < objects; ++i) {
      const std::string name = "object-" + std::to_string(1000 + i);
      const std::string json =
          R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
          R"(","namespace":"ns","annotations":{"10":"]},\"[{","2":"first\nsecond\n"}},)"
          R"("data":{"k":"<&>","empty":""}})";
      Result<object::Document> object = object::DecodeJson(json, resource_->kind);
      EXPECT_TRUE(object) << object.error().ToString();
      std::string bytes;
      object::EncodeStorage(object->root(), &bytes);
      index.Put(store::CacheEntry::Make("ns/" + name, store::Revision{i + 2}, SharedBytes(bytes),
                                        object::LabelSet()));
    }
    store::EntryShape shape;
    shape.find_field = [](std::string_view) { return std::optional<size_t>(); };
    store::SelectionRequest wanted;
    wanted.labels = object::LabelSelector::Parse(selector).value();
    auto selection = std::make_shared<const store::Selection>(
        store::Selection::Bind(std::move(wanted), shape, symbols_).value());
    return store::ListReply(index.Snapshot(), store::Revision{5000}, std::move(selection), "",
                            limit);
  }

  std::unique_ptr<ListEncoder> Encoder(const serving::OutputFormat& format,
                                       store::ListReply reply) {
    auto encoder = MakeListEncoder(request_, endpoint_, format, std::move(reply));
    EXPECT_TRUE(encoder) << encoder.error().ToString();
    return std::move(*encoder);
  }

  // All of it, taken about so many bytes at a time.
  std::string Encode(const serving::OutputFormat& format, store::ListReply reply,
                     size_t piece_bytes) {
    const auto encoder = Encoder(format, std::move(reply));
    std::string out;
    for (bool more = true; more;) {
      ByteBuffer piece;
      auto done = encoder->Append(piece, piece_bytes, WorkBudget(clock_, limits::kWorkAtOnce));
      if (!done) return done.error().ToString();
      more = *done;
      out += piece.view();
    }
    return out;
  }

  SteppingClock clock_;
  SystemRandom random_;
  Deadlines deadlines_{clock_};
  RestContext context_{.clock = clock_,
                       .random = random_,
                       .deadlines = deadlines_,
                       .defaults = KindDefaults(),
                       .settings = kDefaultSettings};
  const object::ResourceDesc* resource_ = object::FindResource("", "v1", "configmaps");
  ObjectView view_{*resource_};
  LazyColumns columns_{*resource_};
  Endpoint endpoint_{
      .resource = resource_, .view = &view_, .columns = &columns_, .context = &context_};
  object::SymbolTable symbols_;
  std::shared_ptr<net::RecordedResponse> client_ = std::make_shared<net::RecordedResponse>();
  serving::ApiRequest request_{.http = {}, .responder = net::Responder(client_)};
};

constexpr serving::ObjectForm kForms[] = {
    serving::ObjectForm::kWhole, serving::ObjectForm::kMetadata, serving::ObjectForm::kTable};

TEST_F(ListEncoderTest, PrettyAndYamlAreWhatTheWholeListWouldBecome) {
  for (const serving::ObjectForm form : kForms) {
    for (const int objects : {0, 1, 2, 200}) {
      std::string compact = Encode({.form = form}, Reply(objects), 1 << 20);
      ASSERT_TRUE(compact.ends_with("}\n"));
      compact.pop_back();
      for (const serving::OutputFormat& format :
           {serving::OutputFormat{.form = form, .pretty = true},
            serving::OutputFormat{.media = serving::MediaKind::kYaml, .form = form}}) {
        ByteBuffer whole;
        whole.Append(compact);
        const Result<SharedBytes> wanted = serving::FinishJson(std::move(whole), format);
        ASSERT_TRUE(wanted) << wanted.error().ToString();
        for (const size_t piece : {1, 1000, 1 << 20}) {
          EXPECT_EQ(Encode(format, Reply(objects), piece), wanted->view()) << objects << " objects";
        }
      }
    }
  }
}

TEST_F(ListEncoderTest, ProtobufIsNeverPretty) {
  const serving::OutputFormat format{.media = serving::MediaKind::kProtobuf};
  serving::OutputFormat pretty = format;
  pretty.pretty = true;
  EXPECT_EQ(Encode(pretty, Reply(3), 1), Encode(format, Reply(3), 1 << 20));
}

TEST_F(ListEncoderTest, TheNextPieceIsAllThatIsHeld) {
  for (const serving::OutputFormat& format :
       {serving::OutputFormat{.pretty = true},
        serving::OutputFormat{.media = serving::MediaKind::kYaml}}) {
    const auto encoder = Encoder(format, Reply(2000));
    size_t largest = 0;
    for (bool more = true; more;) {
      ByteBuffer piece;
      auto done = encoder->Append(piece, 4096, WorkBudget(clock_, limits::kWorkAtOnce));
      ASSERT_TRUE(done);
      more = *done;
      largest = std::max(largest, piece.size());
    }
    // A piece, and 16 KiB that libyaml writes at a time.
    EXPECT_LT(largest, 4096 + 20 * 1024);
  }
}

TEST_F(ListEncoderTest, ComesBackWhenItsTimeIsUpThoughItHasFoundNothing) {
  clock_.SetStep(limits::kWorkAtOnce);
  for (const serving::OutputFormat& format :
       {serving::OutputFormat{}, serving::OutputFormat{.pretty = true},
        serving::OutputFormat{.media = serving::MediaKind::kYaml},
        serving::OutputFormat{.media = serving::MediaKind::kProtobuf}}) {
    for (const int64_t limit : {0, 5}) {
      const auto encoder = Encoder(format, Reply(1000, "app=nowhere", limit));
      int calls = 0;
      size_t bytes = 0;
      for (bool more = true; more; ++calls) {
        ByteBuffer piece;
        auto done = encoder->Append(piece, 4096, WorkBudget(clock_, limits::kWorkAtOnce));
        ASSERT_TRUE(done);
        more = *done;
        bytes += piece.size();
      }
      EXPECT_GT(bytes, 0U);
      const int walks =
          (format.media == serving::MediaKind::kProtobuf ? 2 : 1) + (limit > 0 ? 1 : 0);
      EXPECT_GE(calls, walks * 1000 / static_cast<int>(limits::kEntriesPerClockCheck));
    }
  }
}

TEST_F(ListEncoderTest, ALongPageIsFoundInSteps) {
  store::ListReply reply = Reply(1000, "app=nowhere", 5);
  int calls = 0;
  for (bool found = false; !found; ++calls) {
    size_t budget = 64;
    found = reply.SearchPage(budget);
  }
  EXPECT_EQ(calls, 16);
  EXPECT_EQ(reply.page().continue_token, "");
  store::ListReply first = Reply(1000, "", 5);
  size_t budget = 64;
  EXPECT_TRUE(first.SearchPage(budget));
  EXPECT_EQ(budget, 59U);
  EXPECT_EQ(first.page().remaining, 995);
}

TEST_F(ListEncoderTest, AShortListHasALength) {
  RespondList(request_, clock_, Encoder({.pretty = true}, Reply(2)), {.pretty = true});
  ASSERT_TRUE(client_->answer);
  EXPECT_EQ(client_->answer->source, nullptr);
  EXPECT_TRUE(client_->answer->body.view().ends_with("}\n"));
}

TEST_F(ListEncoderTest, AStreamBreaksOffAtTheDeadlineOfItsRequest) {
  const Duration start = clock_.Monotonic();
  request_.deadline = start + std::chrono::seconds(60);
  RespondList(request_, clock_, Encoder({.pretty = true}, Reply(2000)), {.pretty = true});
  ASSERT_TRUE(client_->answer && client_->answer->source);
  ByteBuffer out;
  EXPECT_TRUE(client_->answer->source->Read(out, 4096));
  clock_.SetStep(std::chrono::seconds(60));
  const auto late = client_->answer->source->Read(out, 4096);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason(), StatusReason::kTimeout);
}

}  // namespace
}  // namespace skiff::apiserver
