#include "cli/bench/bench_report.h"

#include <cstdio>

#include "cli/common/diagnostics.h"
#include "cli/common/long_operation.h"

namespace skiff::cli {
namespace {

constexpr struct {
  const char* name;
  double part;
} kQuantiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};

double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "0.123 ms", "12.3 ms", "1.23 s"
std::string HumanTime(double seconds) {
  if (seconds >= 1) return Formatted("%.2f s", seconds);
  const double ms = seconds * 1e3;
  return Formatted(ms >= 100  ? "%.0f ms"
                   : ms >= 10 ? "%.1f ms"
                   : ms >= 1  ? "%.2f ms"
                              : "%.3f ms",
                   ms);
}

std::string HumanRate(uint64_t count, Duration elapsed) {
  const double seconds = Seconds(elapsed);
  const double rate = seconds > 0 ? static_cast<double>(count) / seconds : 0;
  if (rate < 100) return Formatted("%.2f/s", rate);
  return Grouped(static_cast<uint64_t>(rate + 0.5)) + "/s";
}

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string Labelled(std::string_view label) {
  std::string out(label);
  out.resize(std::max<size_t>(out.size() + 1, 15), ' ');
  return out;
}

struct Row {
  std::string_view name;
  uint64_t count;
  uint64_t errors;
  const load::LatencyHistogram* latency;
};

// What the load consisted of, one row for each operation that happened.
std::vector<Row> RowsOf(const load::ApiLoadReport& report) {
  std::vector<Row> rows;
  for (size_t i = 0; i < report.load.operations.size(); ++i) {
    const load::OperationFigures& one = report.load.operations[i];
    if (one.count + one.errors == 0) continue;
    rows.push_back({report.names[i], one.count, one.errors, &one.latency});
  }
  if (report.fan_out)
    rows.push_back(
        {"delivery", report.fan_out->delivered,
         report.fan_out->expected - std::min(report.fan_out->expected, report.fan_out->delivered),
         &report.fan_out->latency});
  return rows;
}

// What the server's time is divided by: deliveries of a fan-out, else requests.
uint64_t OperationsOf(const load::ApiLoadReport& report) {
  if (report.fan_out) return report.fan_out->delivered;
  uint64_t sum = 0;
  for (const load::OperationFigures& one : report.load.operations) sum += one.count + one.errors;
  return sum;
}

uint64_t BytesOf(const load::ApiLoadReport& report) {
  uint64_t sum = report.fan_out ? report.fan_out->body_bytes : 0;
  for (const load::OperationFigures& one : report.load.operations) sum += one.body_bytes;
  return sum;
}

std::string FirstError(const load::ApiLoadReport& report) {
  for (const load::OperationFigures& one : report.load.operations)
    if (!one.first_error.empty()) return one.first_error;
  return report.fan_out ? report.fan_out->first_error : "";
}

std::string TableOf(const load::ApiLoadReport& report) {
  std::string out = Labelled("") + Padded("rate", 12) + Padded("count", 12) + Padded("failed", 9);
  for (const auto& quantile : kQuantiles) out += Padded(quantile.name, 11);
  out += Padded("max", 11) + "\n";
  for (const Row& row : RowsOf(report)) {
    out += Labelled(row.name) + Padded(HumanRate(row.count, report.load.elapsed), 12) +
           Padded(Grouped(row.count), 12) + Padded(Grouped(row.errors), 9);
    for (const auto& quantile : kQuantiles)
      out += Padded(HumanTime(Seconds(row.latency->Quantile(quantile.part))), 11);
    out += Padded(HumanTime(Seconds(row.latency->max())), 11) + "\n";
  }
  return out;
}

std::string ServerUsage(const load::ApiLoadReport& report) {
  if (!report.before || !report.after) return "";
  const double cpu = Seconds(report.after->cpu - report.before->cpu);
  const auto operations = static_cast<double>(std::max<uint64_t>(OperationsOf(report), 1));
  const double elapsed = Seconds(report.load.elapsed);
  std::string out = Labelled("server CPU") + Formatted("%.4f ms", cpu / operations * 1e3) +
                    (report.fan_out ? " per delivered event" : " per operation");
  if (elapsed > 0) out += Formatted(", %.0f%% of a processor", cpu / elapsed * 100);
  out += "\n" + Labelled("server memory") + HumanBytes(report.before->resident_bytes) +
         " before, " + HumanBytes(report.after->resident_bytes) + " after, " +
         HumanBytes(report.after->peak_resident_bytes) + " at most\n";
  return out;
}

void AppendText(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : Printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

std::string UsageJson(const load::ApiLoadReport& report, int64_t pid) {
  const double cpu = Seconds(report.after->cpu - report.before->cpu);
  const auto operations = static_cast<double>(std::max<uint64_t>(OperationsOf(report), 1));
  return ",\n  \"serverProcess\": {\"pid\": " + std::to_string(pid) +
         ", \"cpuSeconds\": " + Formatted("%.3f", cpu) +
         ", \"cpuSecondsPerOperation\": " + Formatted("%.9f", cpu / operations) +
         ", \"residentBytesBefore\": " + std::to_string(report.before->resident_bytes) +
         ", \"residentBytesAfter\": " + std::to_string(report.after->resident_bytes) +
         ", \"peakResidentBytes\": " + std::to_string(report.after->peak_resident_bytes) + "}";
}

}  // namespace

uint64_t BenchErrors(const load::ApiLoadReport& report) {
  uint64_t errors = report.fan_out ? report.fan_out->cut_off : 0;
  for (const Row& row : RowsOf(report)) errors += row.errors;
  return errors;
}

std::string BenchText(const BenchHeading& heading, const load::ApiLoadReport& report) {
  std::string out = Labelled("server") + std::string(heading.server);
  if (!report.server_version.empty()) out += ", " + Printable(report.server_version);
  out += "\n" + Labelled("load") + std::string(heading.scenario) + ", " +
         std::string(heading.kind) + " of " + HumanBytes(heading.object_bytes) + ", " +
         Grouped(heading.connections) + " connections × " + Grouped(heading.streams) +
         " streams, " + HumanTime(Seconds(report.load.elapsed)) + "\n";
  out += TableOf(report);
  out += Labelled("received") + HumanBytes(BytesOf(report));
  if (report.load.elapsed.count() > 0) {
    out += ", " +
           HumanBytes(static_cast<uint64_t>(static_cast<double>(BytesOf(report)) /
                                            Seconds(report.load.elapsed))) +
           "/s";
  }
  out += "\n" + ServerUsage(report);
  if (report.fan_out) {
    out += Labelled("watches cut off") + Grouped(report.fan_out->cut_off) + "\n";
  }
  if (const std::string error = FirstError(report); !error.empty())
    out += Labelled("first failure") + Printable(error) + "\n";
  return out;
}

std::string BenchJson(const BenchHeading& heading, const load::ApiLoadReport& report) {
  std::string out = "{\n  \"server\": ";
  AppendText(out, heading.server);
  const auto member = [&out](std::string_view name, std::string_view text) {
    out.append(",\n  \"").append(name).append("\": ");
    AppendText(out, text);
  };
  member("serverVersion", report.server_version);
  member("namespace", report.name_space);
  member("scenario", heading.scenario);
  member("kind", heading.kind);
  out += ",\n  \"objectBytes\": " + std::to_string(heading.object_bytes) +
         ",\n  \"connections\": " + std::to_string(heading.connections) +
         ",\n  \"streams\": " + std::to_string(heading.streams) +
         ",\n  \"seconds\": " + Formatted("%.6f", Seconds(report.load.elapsed)) +
         ",\n  \"receivedBytes\": " + std::to_string(BytesOf(report)) +
         ",\n  \"interrupted\": " + (report.load.ended_early ? "true" : "false");
  if (report.fan_out) out += ",\n  \"watchesCutOff\": " + std::to_string(report.fan_out->cut_off);
  if (const std::string error = FirstError(report); !error.empty()) member("firstFailure", error);
  if (report.before && report.after) out += UsageJson(report, heading.pid);
  out += ",\n  \"operations\": [";
  for (const Row& row : RowsOf(report)) {
    const double seconds = std::max(Seconds(report.load.elapsed), 1e-9);
    out += out.ends_with('[') ? "\n    {\"name\": " : ",\n    {\"name\": ";
    AppendText(out, row.name);
    out += ", \"count\": " + std::to_string(row.count) +
           ", \"failed\": " + std::to_string(row.errors) +
           ", \"perSecond\": " + Formatted("%.3f", static_cast<double>(row.count) / seconds);
    for (const auto& quantile : kQuantiles)
      out += std::string(", \"") + quantile.name +
             "\": " + Formatted("%.6f", Seconds(row.latency->Quantile(quantile.part)));
    out += ", \"max\": " + Formatted("%.6f", Seconds(row.latency->max())) + "}";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace skiff::cli
