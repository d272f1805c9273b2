#include "tests/faults/run_in_child.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <sys/wait.h>

namespace skiff {
namespace {

constexpr size_t kProgressBytes = 512;
char* g_progress = nullptr;  // shared with the child

std::string ReadAll(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) out.append(buffer, n);
  close(fd);
  return out;
}

}  // namespace

ChildResult RunInChild(const std::function<std::string()>& body) {
  if (g_progress == nullptr) {
    g_progress = static_cast<char*>(
        mmap(nullptr, kProgressBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  std::memset(g_progress, 0, kProgressBytes);
  int answer[2];
  FILE* words = std::tmpfile();
  if (words == nullptr || pipe(answer) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    dup2(fileno(words), STDERR_FILENO);
    close(answer[0]);
    const std::string report = body();
    size_t sent = 0;
    while (sent < report.size()) {
      const ssize_t n = write(answer[1], report.data() + sent, report.size() - sent);
      if (n <= 0) _exit(3);
      sent += n;
    }
    _exit(0);
  }
  close(answer[1]);
  ChildResult result;
  result.report = ReadAll(answer[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.exited = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::string last(4096, '\0');
  std::rewind(words);
  last.resize(std::fread(last.data(), 1, last.size(), words));
  std::fclose(words);
  if (!result.exited) {
    result.report += "\nthe process died (" +
                     (WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                          : "exit " + std::to_string(WEXITSTATUS(status))) +
                     ") at: " + g_progress + "\n" + last;
  }
  return result;
}

void RecordProgress(const std::string& what) {
  if (g_progress == nullptr) return;
  const size_t size = std::min(what.size(), kProgressBytes - 1);
  std::memcpy(g_progress, what.data(), size);
  g_progress[size] = '\0';
}

}  // namespace skiff
