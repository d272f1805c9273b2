// skiff_sim: runs many seeds, on as many processes as there are cores, and says what they
// exercised; or one, to look at it.
//
//   skiff_sim --seeds 1000 [--from 1] [--jobs 2] [--twice]
//   skiff_sim --seed 17 [--verbose]
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "tests/sim/cluster.h"
#include "tests/sim/run_seed.h"
#include "tests/sim/scenario.h"

namespace skiff::sim {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Arguments {
  uint64_t from = 1;
  uint64_t seeds = 100;
  uint64_t jobs = 0;
  bool single = false;
  bool twice = false;
};

[[noreturn]] void Usage() {
  fprintf(stderr,
          "usage: skiff_sim [--seeds N] [--from N] [--jobs N] [--twice]\n"
          "       skiff_sim --seed N [--verbose]\n");
  exit(2);
}

Arguments Parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&]() -> uint64_t {
      if (++i >= argc) Usage();
      return strtoull(argv[i], nullptr, 10);
    };
    if (word == "--seeds") {
      out.seeds = number();
    } else if (word == "--from") {
      out.from = number();
    } else if (word == "--jobs") {
      out.jobs = number();
    } else if (word == "--seed") {
      out.from = number();
      out.single = true;
    } else if (word == "--twice") {
      out.twice = true;
    } else if (word == "--verbose") {
      Cluster::verbose = true;
    } else {
      Usage();
    }
  }
  if (out.jobs == 0) out.jobs = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  return out;
}

void PrintFailure(uint64_t seed, const std::string& what) {
  printf("\nseed %llu FAILED: %s\n  replay: build/tests/skiff_sim --seed %llu --verbose\n",
         static_cast<unsigned long long>(seed), what.c_str(),
         static_cast<unsigned long long>(seed));
  fflush(stdout);
}

int RunOne(uint64_t seed) {
  const Outcome outcome = RunScenario({.seed = seed});
  for (const auto& [what, count] : outcome.counters.all()) {
    printf("%12llu %s\n", static_cast<unsigned long long>(count), what.c_str());
  }
  printf("seed %llu: trace %016llx, %.1f simulated seconds\n",
         static_cast<unsigned long long>(seed), static_cast<unsigned long long>(outcome.trace),
         std::chrono::duration<double>(outcome.simulated).count());
  if (outcome.failures.empty()) return 0;
  for (const std::string& failure : outcome.failures) PrintFailure(seed, failure);
  return 1;
}

void Say(int fd, const std::string& line) {
  [[maybe_unused]] const auto written = write(fd, line.data(), line.size());
}

// In a child: one line when a seed begins, lines of counts, one when it has ended.
[[noreturn]] void RunMany(const Arguments& arguments, uint64_t first, int out) {
  for (uint64_t seed = first; seed < arguments.from + arguments.seeds; seed += arguments.jobs) {
    Say(out, "begin " + std::to_string(seed) + "\n");
    Outcome outcome = RunInChild({.seed = seed});
    if (arguments.twice && outcome.failures.empty()) {
      const Outcome again = RunInChild({.seed = seed});
      if (again.trace != outcome.trace) outcome.failures.push_back("the second run differs");
    }
    std::string text;
    for (const auto& [what, count] : outcome.counters.all()) {
      text += "count " + std::to_string(count) + " " + what + "\n";
    }
    for (const std::string& failure : outcome.failures) text += "failure " + failure + "\n";
    Say(out, text + "end " + std::to_string(seed) + "\n");
  }
  _exit(0);
}

// A process that has every so many-th seed run, one after the other.
struct Worker {
  pid_t child = 0;
  int pipe = -1;
  std::string text;
  uint64_t current = 0;  // seed; zero: none
};

class Runner {
 public:
  explicit Runner(const Arguments& arguments) : arguments_(arguments) {}

  int Run() {
    begin_ = SteadyClock::now();
    std::vector<Worker> workers(arguments_.jobs);
    for (uint64_t i = 0; i < workers.size(); ++i) StartChild(workers[i], arguments_.from + i);
    while (Poll(workers)) ShowProgress();
    return Summarize();
  }

 private:
  void StartChild(Worker& worker, uint64_t first) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    fflush(stdout);
    worker.child = fork();
    if (worker.child == 0) {
      close(ends[0]);
      RunMany(arguments_, first, ends[1]);
    }
    close(ends[1]);
    worker.pipe = ends[0];
  }

  // False: all are done.
  bool Poll(std::vector<Worker>& workers) {
    std::vector<pollfd> waits;
    std::vector<Worker*> owners;
    for (Worker& worker : workers) {
      if (worker.pipe < 0) continue;
      waits.push_back({.fd = worker.pipe, .events = POLLIN, .revents = 0});
      owners.push_back(&worker);
    }
    if (waits.empty()) return false;
    poll(waits.data(), waits.size(), 500);
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) Read(*owners[i]);
    }
    return true;
  }

  void Read(Worker& worker) {
    char buffer[65536];
    const ssize_t got = read(worker.pipe, buffer, sizeof(buffer));
    if (got <= 0) return OnEnd(worker);
    worker.text.append(buffer, static_cast<size_t>(got));
    size_t end;
    while ((end = worker.text.find('\n')) != std::string::npos) {
      OnLine(worker, worker.text.substr(0, end));
      worker.text.erase(0, end + 1);
    }
  }

  void OnLine(Worker& worker, const std::string& line) {
    if (line.starts_with("begin ")) {
      worker.current = strtoull(line.c_str() + 6, nullptr, 10);
    } else if (line.starts_with("end ")) {
      worker.current = 0;
      ++done_;
    } else if (line.starts_with("count ")) {
      char* what = nullptr;
      const uint64_t count = strtoull(line.c_str() + 6, &what, 10);
      counters_.Count(what + 1, count);
    } else if (line.starts_with("failure ")) {
      ++failures_;
      PrintFailure(worker.current, line.substr(8));
    }
  }

  void OnEnd(Worker& worker) {
    close(worker.pipe);
    worker.pipe = -1;
    int status = 0;
    waitpid(worker.child, &status, 0);
    if (worker.current == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    ++failures_;
    PrintFailure(worker.current, "the process that runs seeds has ended");
  }

  void ShowProgress() {
    if (isatty(1) == 0) return;
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin_).count();
    printf("\r%llu of %llu seeds, %llu failures, %.1f seeds/s ",
           static_cast<unsigned long long>(done_),
           static_cast<unsigned long long>(arguments_.seeds),
           static_cast<unsigned long long>(failures_), static_cast<double>(done_) / seconds);
    fflush(stdout);
  }

  int Summarize() {
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin_).count();
    printf("\n%llu seeds from %llu in %.1f s, %.1f seeds/s on %llu cores; exercised:\n",
           static_cast<unsigned long long>(done_), static_cast<unsigned long long>(arguments_.from),
           seconds, static_cast<double>(done_) / seconds,
           static_cast<unsigned long long>(arguments_.jobs));
    for (const auto& [what, count] : counters_.all()) {
      printf("%12llu %s\n", static_cast<unsigned long long>(count), what.c_str());
    }
    printf(failures_ == 0 ? "no failures\n" : "%llu FAILURES\n",
           static_cast<unsigned long long>(failures_));
    return failures_ == 0 ? 0 : 1;
  }

  const Arguments arguments_;
  SteadyClock::time_point begin_;
  uint64_t done_ = 0;
  uint64_t failures_ = 0;
  Counters counters_;
};

}  // namespace
}  // namespace skiff::sim

int main(int argc, char** argv) {
  const skiff::sim::Arguments arguments = skiff::sim::Parse(argc, argv);
  if (arguments.single) return skiff::sim::RunOne(arguments.from);
  return skiff::sim::Runner(arguments).Run();
}
