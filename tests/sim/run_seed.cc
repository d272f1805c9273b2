#include "tests/sim/run_seed.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <sys/wait.h>

#include "tests/sim/cluster.h"

namespace skiff::sim {
namespace {

// Real time without a word after which a run is taken for one that hangs.
constexpr int kPatienceMilliseconds = 300'000;

// Lines: "trace N", "simulated N", "count N what", "failure what".
std::string Encode(const Outcome& outcome) {
  std::string out = "trace " + std::to_string(outcome.trace) + "\nsimulated " +
                    std::to_string(outcome.simulated.count()) + "\n";
  for (const auto& [what, count] : outcome.counters.all()) {
    out += "count " + std::to_string(count) + " " + what + "\n";
  }
  for (std::string failure : outcome.failures) {
    for (char& c : failure) c = c == '\n' ? ' ' : c;
    out += "failure " + failure + "\n";
  }
  return out;
}

void DecodeLine(const std::string& line, Outcome& out) {
  const size_t space = line.find(' ');
  const std::string word = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
  if (word == "trace") out.trace = strtoull(rest.c_str(), nullptr, 10);
  if (word == "simulated") out.simulated = Duration(strtoll(rest.c_str(), nullptr, 10));
  if (word == "failure") out.failures.push_back(rest);
  if (word == "count") {
    char* what = nullptr;
    const uint64_t count = strtoull(rest.c_str(), &what, 10);
    out.counters.Count(what + 1, count);
  }
}

// All that comes until the other end is closed; what does not come in time is not waited for.
std::string ReadAll(int fd, pid_t child) {
  std::string out;
  char buffer[65536];
  for (;;) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, kPatienceMilliseconds) == 0) kill(child, SIGKILL);
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got <= 0) return out;
    out.append(buffer, static_cast<size_t>(got));
  }
}

[[noreturn]] void RunAndTell(const ScenarioOptions& options, int out) {
  const std::string text = Encode(RunScenario(options));
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(out, text.data() + written, text.size() - written);
    if (count <= 0) _exit(4);
    written += static_cast<size_t>(count);
  }
  _exit(0);
}

}  // namespace

Outcome RunInChild(const ScenarioOptions& options) {
  PrepareCluster();
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    close(ends[0]);
    RunAndTell(options, ends[1]);
  }
  close(ends[1]);
  const std::string text = ReadAll(ends[0], child);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome out;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    DecodeLine(text.substr(begin, end - begin), out);
  }
  if (WIFSIGNALED(status)) {
    out.failures.push_back("ended by signal " + std::to_string(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    out.failures.push_back("ended with " + std::to_string(WEXITSTATUS(status)));
  }
  return out;
}

}  // namespace skiff::sim
