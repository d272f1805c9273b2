#include "serving/profile_pages.h"

#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "net/gzip.h"
#include "profiling/cpu_sampler.h"
#include "profiling/profiles.h"
#include "profiling/symbols.h"
#include "serving/request/respond.h"

namespace skiff::serving {
namespace {

constexpr std::string_view kRoot = "/debug/pprof";
constexpr std::string_view kPlain = "text/plain; charset=utf-8";
// How often samples are counted, and it is asked whether the client is still there.
constexpr Duration kCollectInterval = std::chrono::milliseconds(50);
constexpr std::chrono::seconds kDefaultProfileTime{30};

constexpr std::string_view kIndex =
    "<html>\n<head>\n<title>/debug/pprof/</title>\n</head>\n<body>\n/debug/pprof/\n<ul>\n"
    "<li><a href=\"cmdline\">cmdline</a>: the command line of the process</li>\n"
    "<li><a href=\"heap\">heap</a>: what its memory is used for "
    "(<a href=\"heap?debug=1\">as text</a>)</li>\n"
    "<li><a href=\"profile\">profile</a>: where it spends processor time, sampled for ?seconds=30"
    "</li>\n"
    "<li><a href=\"symbol\">symbol</a>: the functions at addresses</li>\n"
    "</ul>\n</body>\n</html>\n";

void AnswerPlain(ApiRequest& request, int code, std::string_view text) {
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  // By which pprof knows that the text is an explanation.
  if (code >= 400) extra.Add("x-go-pprof", "1");
  RespondBytes(request, code, kPlain, SharedBytes(text), std::move(extra));
}

void AnswerFile(ApiRequest& request, std::string_view name, std::string_view profile) {
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  extra.Add("content-disposition", "attachment; filename=\"" + std::string(name) + "\"");
  RespondBytes(request, 200, "application/octet-stream", net::GzipBytes(profile), std::move(extra));
}

// As Go reads them: what is no number above zero counts as not given.
int64_t NumberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

void AnswerCommandLine(ApiRequest& request) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.ends_with('\0')) text.pop_back();
  AnswerPlain(request, 200, text);
}

void AnswerHeap(ApiRequest& request, Clock& clock) {
  if (NumberOf(request.query.Get("gc")) != 0) malloc_trim(0);
  if (NumberOf(request.query.Get("debug")) != 0)
    return AnswerPlain(request, 200, profiling::HeapText());
  AnswerFile(request, "heap", profiling::HeapProfile(clock.Wall()));
}

// "0x401000+0x402000", a name for each.
std::string SymbolsText(std::string_view addresses) {
  const profiling::LoadedCode code;
  std::string out = "num_symbols: 1\n";
  while (!addresses.empty()) {
    std::string_view each = addresses.substr(0, addresses.find('+'));
    addresses.remove_prefix(std::min(addresses.size(), each.size() + 1));
    const std::string_view digits = each.starts_with("0x") ? each.substr(2) : each;
    uintptr_t address = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (error != std::errc()) continue;
    const std::string symbol = code.SymbolOf(address);
    if (symbol.empty()) continue;
    out.append(each.substr(0, each.size() - static_cast<size_t>(digits.end() - end)));
    out.append(" ").append(profiling::Demangled(symbol)).append("\n");
  }
  return out;
}

}  // namespace

bool ProfilePages::Answer(ApiRequestPtr& request) {
  std::string_view path = request->info.path;
  if (request->info.is_resource || !path.starts_with(kRoot)) return false;
  path.remove_prefix(kRoot.size());
  if (!path.empty() && path[0] != '/') return false;
  if (path.empty()) {
    net::HttpHeaders extra;
    extra.Add("location", std::string(kRoot) + "/");
    RespondBytes(*request, 302, "text/html; charset=utf-8",
                 SharedBytes("<a href=\"/debug/pprof/\">Found</a>.\n\n"), std::move(extra));
  } else if (path == "/") {
    net::HttpHeaders extra;
    extra.Add("x-content-type-options", "nosniff");
    RespondBytes(*request, 200, "text/html; charset=utf-8", SharedBytes(kIndex), std::move(extra));
  } else if (path == "/profile") {
    AnswerProfile(std::move(request));
  } else if (path == "/heap") {
    AnswerHeap(*request, clock_);
  } else if (path == "/symbol") {
    AnswerSymbols(std::move(request));
  } else if (path == "/cmdline") {
    AnswerCommandLine(*request);
  } else if (path == "/trace") {
    AnswerPlain(*request, 501,
                "this server records no execution traces: see /debug/pprof/profile\n");
  } else {
    AnswerPlain(*request, 404, "Unknown profile\n");
  }
  return true;
}

void ProfilePages::AnswerProfile(ApiRequestPtr request) {
  const int64_t seconds = NumberOf(request->query.Get("seconds"));
  if (seconds > limits::kMaxProfileTime.count()) {
    return AnswerPlain(*request, 400,
                       "a profile may take at most " +
                           std::to_string(limits::kMaxProfileTime.count()) + " seconds\n");
  }
  const Duration length = seconds > 0 ? std::chrono::seconds(seconds) : kDefaultProfileTime;
  Begin(std::move(request), [this, length](ApiRequest& ref) { TakeCpuProfile(ref, length); });
}

void ProfilePages::AnswerSymbols(ApiRequestPtr request) {
  const std::string& query = request->http.query;
  std::string addresses = request->http.method == "POST" ? request->http.body : query;
  if (addresses.empty()) return AnswerPlain(*request, 200, "num_symbols: 1\n");
  Begin(std::move(request), [addresses = std::move(addresses)](ApiRequest& ref) {
    AnswerPlain(ref, 200, SymbolsText(addresses));
  });
}

void ProfilePages::Begin(ApiRequestPtr request, std::function<void(ApiRequest&)> work) {
  std::unique_lock lock(mutex_);
  if (busy_ || stopping_) {
    lock.unlock();
    return AnswerPlain(*request, 500,
                       "Could not enable CPU profiling: cpu profiling already in use\n");
  }
  busy_ = true;
  std::shared_ptr<ApiRequest> shared = std::move(request);
  // The one before has ended, but for its last line; the constructor of the next waits for that.
  thread_ = nullptr;
  thread_ = std::make_unique<Thread>(
      "profile", [this, shared = std::move(shared), work = std::move(work)]() mutable {
        work(*shared);
        shared = nullptr;
        const std::lock_guard guard(mutex_);
        busy_ = false;
      });
}

void ProfilePages::TakeCpuProfile(ApiRequest& request, Duration length) {
  const Result<std::unique_ptr<profiling::CpuSampler>> sampler =
      profiling::CpuSampler::Start(profiling::kCpuProfilePeriod);
  if (!sampler) {
    return AnswerPlain(request, 500,
                       "Could not enable CPU profiling: " + sampler.error().message() + "\n");
  }
  const Duration wall = clock_.Wall();
  const Duration begin = clock_.Monotonic();
  while (clock_.Monotonic() < begin + length && !request.responder.gone()) {
    std::unique_lock lock(mutex_);
    if (stopping_) break;
    const Duration next = clock_.Monotonic() + kCollectInterval;
    clock_.WaitUntil(wake_, lock, std::min(next, begin + length));
    lock.unlock();
    (*sampler)->Collect();
  }
  (*sampler)->Collect();
  if (request.responder.gone()) return;
  AnswerFile(request, "profile",
             profiling::CpuProfile(**sampler, wall, clock_.Monotonic() - begin));
}

void ProfilePages::Stop() {
  std::unique_ptr<Thread> thread;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  wake_.notify_all();
}

}  // namespace skiff::serving
