#include "tests/faults/worker_report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tests/store/text.h"

namespace skiff::testing {
namespace {

std::string_view Field(std::string_view text) { return text.empty() ? "-" : text; }

std::string Value(const std::string& field) { return field == "-" ? "" : field; }

int64_t Number(const std::string& field) { return std::strtoll(field.c_str(), nullptr, 10); }

std::vector<std::string> Split(std::string_view line) {
  std::vector<std::string> out;
  for (size_t from = 0; from <= line.size();) {
    const size_t to = std::min(line.find(' ', from), line.size());
    out.emplace_back(line.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

}  // namespace

// ---- Writing

void ReportWriter::Write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  while (!lines.empty()) {
    const ssize_t written = ::write(descriptor_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    // Nobody listens any more: the test is gone.
    if (written < 0) ::_exit(4);
    lines.remove_prefix(static_cast<size_t>(written));
  }
}

void ReportWriter::OnInvoke(uint64_t number, const Operation& operation) {
  Write(Text("I ", number, " ", static_cast<int>(operation.kind), " ", Field(operation.key), " ",
             Field(operation.value), " ", operation.expected, "\n"));
}

void ReportWriter::OnReturn(uint64_t number, const Operation& operation) {
  Write(Text("R ", number, " ", static_cast<int>(operation.outcome), " ", operation.revision, " ",
             operation.seen ? operation.seen->revision : 0, " ",
             Field(operation.seen ? operation.seen->value : ""), "\n"));
}

void ReportWriter::OnNothing(uint64_t number) { Write(Text("N ", number, "\n")); }

void ReportWriter::Opened(int64_t revision, int64_t compacted) {
  Write(Text("O ", revision, " ", compacted, "\n"));
}

void ReportWriter::Told(const std::vector<SeenEvent>& events) {
  std::string lines;
  for (const SeenEvent& event : events)
    lines += event.deleted
                 ? Text("D ", event.revision, " ", event.key, "\n")
                 : Text("E ", event.revision, " ", event.key, " ", Field(event.value), "\n");
  Write(lines);
}

void ReportWriter::Progress(int64_t revision) { Write(Text("P ", revision, "\n")); }

void ReportWriter::StateAt(int64_t revision, const std::map<std::string, SeenValue>& state) {
  std::string line = Text("H ", revision);
  for (const auto& [key, seen] : state)
    line += Text(" ", key, " ", Field(seen.value), " ", seen.revision);
  Write(line + "\n");
}

void ReportWriter::Wrong(std::string_view what) { Write(Text("X ", what, "\n")); }

// ---- Reading

void ReportReader::Read(std::string_view bytes) {
  partial_ += bytes;
  size_t from = 0;
  for (size_t to; (to = partial_.find('\n', from)) != std::string::npos; from = to + 1)
    ReadLine(std::string_view(partial_).substr(from, to - from));
  partial_.erase(0, from);
}

void ReportReader::ReadLine(std::string_view line) {
  if (line.starts_with("X ")) return OnWrong(std::string(line.substr(2)));
  // Whatever else a program prints, such as a sanitizer's report, is bad news too.
  if (!ReadFields(Split(line))) OnWrong(std::string(line));
}

bool ReportReader::ReadFields(const std::vector<std::string>& fields) {
  const std::string& tag = fields[0];
  if (tag == "O" && fields.size() == 3) {
    OnOpened(Number(fields[1]), Number(fields[2]));
  } else if (tag == "I" && fields.size() == 6) {
    Operation operation;
    operation.kind = static_cast<Operation::Kind>(Number(fields[2]));
    operation.key = fields[3];
    operation.value = Value(fields[4]);
    operation.expected = Number(fields[5]);
    OnInvoke(static_cast<uint64_t>(Number(fields[1])), std::move(operation));
  } else if (tag == "R" && fields.size() == 6) {
    Operation operation;
    operation.outcome = static_cast<Operation::Outcome>(Number(fields[2]));
    operation.revision = Number(fields[3]);
    if (Number(fields[4]) != 0) operation.seen = SeenValue{Value(fields[5]), Number(fields[4])};
    OnReturn(static_cast<uint64_t>(Number(fields[1])), std::move(operation));
  } else if (tag == "N" && fields.size() == 2) {
    OnNothing(static_cast<uint64_t>(Number(fields[1])));
  } else if (tag == "E" && fields.size() == 4) {
    OnEvent({Number(fields[1]), fields[2], false, Value(fields[3])});
  } else if (tag == "D" && fields.size() == 3) {
    OnEvent({Number(fields[1]), fields[2], true, ""});
  } else if (tag == "P" && fields.size() == 2) {
    OnProgress(Number(fields[1]));
  } else if (tag == "H" && fields.size() % 3 == 2) {
    std::map<std::string, SeenValue> state;
    for (size_t i = 2; i < fields.size(); i += 3)
      state[fields[i]] = SeenValue{Value(fields[i + 1]), Number(fields[i + 2])};
    OnStateAt(Number(fields[1]), std::move(state));
  } else {
    return false;
  }
  return true;
}

}  // namespace skiff::testing
