#include "base/metrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/limits.h"

namespace skiff {
namespace {

constexpr std::string_view kOverflowValue = "unexpected";

// Valid until the thread's next call: requests are counted without an allocation.
std::string_view KeyOf(LabelValues values) {
  thread_local std::string key;
  key.clear();
  for (const std::string_view value : values) {
    const auto size = static_cast<uint32_t>(value.size());
    key.append(reinterpret_cast<const char*>(&size), sizeof(size));
    key += value;
  }
  return key;
}

void AppendEscaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

void AppendHeader(std::string& out, const MetricSpec& spec, MetricKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"counter", "gauge", "histogram"};
  out.append("# HELP ").append(spec.name).append(" ");
  AppendEscaped(out, spec.help, /*quotes=*/false);
  out.append("\n# TYPE ").append(spec.name).append(" ");
  out.append(kNames[static_cast<size_t>(kind)]).append("\n");
}

// name_suffix{a="1",b="2",le="0.5"}, the last only if `bound` is not empty, and a space.
void AppendName(std::string& out, const MetricSpec& spec, std::string_view suffix,
                std::span<const std::string> values, std::string_view bound = {}) {
  out.append(spec.name).append(suffix);
  if (!values.empty() || !bound.empty()) {
    char before = '{';
    for (size_t i = 0; i < values.size(); ++i) {
      out += before;
      out.append(spec.labels[i]).append("=\"");
      AppendEscaped(out, values[i], /*quotes=*/true);
      out += '"';
      before = ',';
    }
    if (!bound.empty()) {
      out += before;
      out.append("le=\"").append(bound).append("\"");
    }
    out += '}';
  }
  out += ' ';
}

void AppendCell(std::string& out, const MetricSpec& spec, std::span<const std::string> values,
                const Counter& cell) {
  AppendName(out, spec, "", values);
  AppendMetricNumber(out, static_cast<double>(cell.value()));
  out += '\n';
}

void AppendCell(std::string& out, const MetricSpec& spec, std::span<const std::string> values,
                const Gauge& cell) {
  AppendName(out, spec, "", values);
  AppendMetricNumber(out, cell.value());
  out += '\n';
}

void AppendCell(std::string& out, const MetricSpec& spec, std::span<const std::string> values,
                const Histogram& cell) {
  uint64_t count = 0;
  for (size_t i = 0; i <= spec.buckets.size(); ++i) {
    count += cell.CountAt(i);
    std::string bound = "+Inf";
    if (i < spec.buckets.size()) {
      bound.clear();
      AppendMetricNumber(bound, spec.buckets[i]);
    }
    AppendName(out, spec, "_bucket", values, bound);
    out.append(std::to_string(count)).append("\n");
  }
  AppendName(out, spec, "_sum", values);
  AppendMetricNumber(out, cell.sum());
  out += '\n';
  AppendName(out, spec, "_count", values);
  // The sum of the buckets just written, so that the two agree whatever was observed meanwhile.
  out.append(std::to_string(count)).append("\n");
}

class CollectedFamily final : public MetricFamily {
 public:
  CollectedFamily(const MetricSpec& spec, MetricKind kind,
                  std::function<void(const MetricsRegistry::Emit&)> collect)
      : MetricFamily(spec, kind), collect_(std::move(collect)) {}

  void AppendText(std::string& out) const override {
    std::vector<std::pair<std::vector<std::string>, double>> rows;
    collect_([&rows](LabelValues values, double value) {
      if (rows.size() >= limits::kMaxMetricCells) return;
      rows.emplace_back(std::vector<std::string>(values.begin(), values.end()), value);
    });
    if (rows.empty()) return;
    std::ranges::sort(rows);
    AppendHeader(out, spec(), kind());
    for (const auto& [values, value] : rows) {
      AppendName(out, spec(), "", values);
      AppendMetricNumber(out, value);
      out += '\n';
    }
  }

 private:
  const std::function<void(const MetricsRegistry::Emit&)> collect_;
};

}  // namespace

Histogram::Histogram(const MetricSpec& spec)
    : bounds_(spec.buckets),
      counts_(std::make_unique<std::atomic<uint64_t>[]>(spec.buckets.size() + 1)) {}

void Histogram::Observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

template <typename Cell>
Cell& MetricFamilyOf<Cell>::With(LabelValues values) {
  assert(values.size() == spec().labels.size());
  const std::string_view key = KeyOf(values);
  {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end()) return found->second->cell;
    // Whatever else is asked for when the family is full is found here too, without the lock that
    // keeps others out.
    if (entries_.size() > limits::kMaxMetricCells) return entries_.find("")->second->cell;
  }
  const std::unique_lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second->cell;
  if (entries_.size() >= limits::kMaxMetricCells) return Overflow();
  return entries_.emplace(std::string(key), std::make_unique<Entry>(spec(), values))
      .first->second->cell;
}

template <typename Cell>
Cell& MetricFamilyOf<Cell>::Overflow() {
  std::unique_ptr<Entry>& entry = entries_[std::string()];
  if (!entry) {
    entry = std::make_unique<Entry>(spec(), LabelValues{});
    entry->values.assign(spec().labels.size(), std::string(kOverflowValue));
  }
  return entry->cell;
}

template <typename Cell>
void MetricFamilyOf<Cell>::AppendText(std::string& out) const {
  std::vector<const Entry*> sorted;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, entry] : entries_) sorted.push_back(entry.get());
  }
  if (sorted.empty()) return;
  std::ranges::sort(sorted, {}, &Entry::values);
  AppendHeader(out, spec(), kind());
  for (const Entry* entry : sorted) AppendCell(out, spec(), entry->values, entry->cell);
}

template class MetricFamilyOf<Counter>;
template class MetricFamilyOf<Gauge>;
template class MetricFamilyOf<Histogram>;

template <typename Family>
Family& MetricsRegistry::Keep(std::string_view name, std::unique_ptr<Family> family) {
  Family& kept = *family;
  const std::lock_guard lock(mutex_);
  [[maybe_unused]] const bool is_new =
      families_.emplace(std::string(name), std::move(family)).second;
  assert(is_new);
  return kept;
}

CounterFamily& MetricsRegistry::AddCounter(const MetricSpec& spec) {
  return Keep(spec.name, std::make_unique<CounterFamily>(spec));
}

GaugeFamily& MetricsRegistry::AddGauge(const MetricSpec& spec) {
  return Keep(spec.name, std::make_unique<GaugeFamily>(spec));
}

HistogramFamily& MetricsRegistry::AddHistogram(const MetricSpec& spec) {
  return Keep(spec.name, std::make_unique<HistogramFamily>(spec));
}

void MetricsRegistry::AddCollected(const MetricSpec& spec, MetricKind kind,
                                   std::function<void(const Emit& emit)> collect) {
  assert(kind != MetricKind::kHistogram);
  Keep(spec.name, std::make_unique<CollectedFamily>(spec, kind, std::move(collect)));
}

std::string MetricsRegistry::Text() const {
  std::string out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, family] : families_) family->AppendText(out);
  return out;
}

std::vector<const MetricFamily*> MetricsRegistry::Families() const {
  std::vector<const MetricFamily*> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, family] : families_) out.push_back(family.get());
  return out;
}

void AppendMetricNumber(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  // The rule of %g for as many digits as are needed: exponents from here on are written out.
  constexpr int kFirstWrittenExponent = 6;
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  const auto scientific = std::to_chars(text.data(), end, value, std::chars_format::scientific);
  const std::string_view written(text.data(), scientific.ptr);
  int exponent = 0;
  const size_t mark = written.find('e');
  const size_t digits_at = mark + (written[mark + 1] == '+' ? 2 : 1);
  std::from_chars(written.data() + digits_at, scientific.ptr, exponent);
  if (exponent < -4 || exponent >= kFirstWrittenExponent) {
    out += written;
    return;
  }
  const auto plain = std::to_chars(text.data(), end, value, std::chars_format::fixed);
  out.append(text.data(), plain.ptr);
}

}  // namespace skiff
