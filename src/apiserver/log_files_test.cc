#include "apiserver/log_files.h"

#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temporary_directory.h"
#include "net/testing_responder.h"

namespace skiff::apiserver {
namespace {

class LogFilesTest : public testing::Test {
 protected:
  LogFilesTest() : root_(folder_.path() + "/log"), files_(root_) {
    mkdir(root_.c_str(), 0755);
    mkdir((root_ + "/pods").c_str(), 0755);
    Write(root_ + "/pods/a.log", "from a\n");
    Write(root_ + "/<b>&.log", "from b\n");
    Write(root_ + "/binary", std::string("\0\1\2", 3));
    Write(folder_.path() + "/secret", "secret\n");
    Link("pods/a.log", "/inside");
    Link("../secret", "/outside");
    Link(folder_.path() + "/secret", "/absolute");
    Link("..", "/up");
    mkfifo((root_ + "/pipe").c_str(), 0644);
  }
  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  void Link(const std::string& to, const std::string& from) {
    ASSERT_EQ(symlink(to.c_str(), (root_ + from).c_str()), 0);
  }

  // The code, and the text if there is one.
  std::pair<int, std::string> Get(const std::string& path, std::string* header = nullptr,
                                  const std::string& name = "content-type") {
    auto client = std::make_shared<net::RecordedResponse>();
    serving::ApiRequest request{.http = {}, .responder = net::Responder(client)};
    request.http.method = "GET";
    request.info.path = path;
    EXPECT_TRUE(files_.Answer(request)) << path;
    net::HttpResponse& answer = *client->answer;
    if (header != nullptr) *header = answer.headers.Get(name);
    ByteBuffer out;
    out.Append(answer.body.view());
    while (answer.source != nullptr) {
      const Result<net::BodySource::State> state = answer.source->Read(out, 100);
      EXPECT_TRUE(state);
      if (!state || *state == net::BodySource::State::kEnd) break;
    }
    return {answer.code, std::string(out.view())};
  }

  TemporaryDirectory folder_;
  const std::string root_;
  const LogFiles files_;
};

TEST_F(LogFilesTest, FilesAreServedAsTheyAre) {
  std::string type;
  EXPECT_EQ(Get("/logs/pods/a.log", &type), std::pair(200, std::string("from a\n")));
  EXPECT_EQ(type, "text/plain; charset=utf-8");
  EXPECT_EQ(Get("/logs/binary", &type), std::pair(200, std::string("\0\1\2", 3)));
  EXPECT_EQ(type, "application/octet-stream");
  EXPECT_EQ(Get("/logs/inside"), std::pair(200, std::string("from a\n")));
}

TEST_F(LogFilesTest, DirectoriesAreLinks) {
  std::string location;
  EXPECT_EQ(Get("/logs", &location, "location").first, 301);
  EXPECT_EQ(location, "logs/");
  EXPECT_EQ(Get("/logs/pods", &location, "location").first, 301);
  EXPECT_EQ(location, "pods/");
  EXPECT_EQ(Get("/logs/pods/").second, "<pre>\n<a href=\"a.log\">a.log</a>\n</pre>\n");
  const std::string listing = Get("/logs/").second;
  EXPECT_NE(listing.find("<a href=\"%3Cb%3E&.log\">&lt;b&gt;&amp;.log</a>"), std::string::npos);
  EXPECT_NE(listing.find("<a href=\"pods/\">pods/</a>"), std::string::npos);
}

TEST_F(LogFilesTest, NothingOutsideIsServedWhateverLeadsThere) {
  for (const char* path : {"/logs/outside", "/logs/absolute", "/logs/up/secret", "/logs/up/",
                           "/logs/../secret", "/logs//../secret", "/logs/pods/../../secret"}) {
    const auto [code, text] = Get(path);
    EXPECT_EQ(code, 404) << path;
    EXPECT_EQ(text.find("secret"), std::string::npos) << path;
  }
}

TEST_F(LogFilesTest, PipesAndWhatIsNotThereAreNotFound) {
  EXPECT_EQ(Get("/logs/pipe").first, 404);
  EXPECT_EQ(Get("/logs/nothing").first, 404);
  EXPECT_EQ(Get("/logs/" + std::string(300, 'x')).first, 404);
}

}  // namespace
}  // namespace skiff::apiserver
