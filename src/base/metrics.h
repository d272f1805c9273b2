// Counters, gauges and histograms, and their text for Prometheus.
//
// A metric is declared once, as a MetricSpec; adding it to a registry gives a family, and the
// family a cell for each combination of label values:
//
//   CounterFamily& requests = registry.AddCounter(kRequestTotal);
//   Counter& gets = requests.With({"200", "GET"});  // in the order of the spec's labels
//   gets.Add();
//
// Cells live as long as the registry, so that whoever counts often keeps the reference: changing a
// cell is an atomic operation without a lock. With() takes a shared lock. Label values may come
// from clients, so a family has at most limits::kMaxMetricCells cells; all that is beyond is
// counted in one whose values are "unexpected".
//
// Any thread may call anything here. The text is that of the format's version 0.0.4, families
// sorted by name, cells by label values, numbers as Go writes them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skiff {

inline constexpr std::string_view kMetricsContentType =
    "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram };

// Usually a constant. Labels are in alphabetical order, as they are written.
struct MetricSpec {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> labels = {};
  std::span<const double> buckets = {};  // of histograms: upper bounds, ascending, without +Inf
};

class Counter {
 public:
  static constexpr MetricKind kKind = MetricKind::kCounter;
  explicit Counter(const MetricSpec& /*spec*/) {}
  void Add(uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Gauge {
 public:
  static constexpr MetricKind kKind = MetricKind::kGauge;
  explicit Gauge(const MetricSpec& /*spec*/) {}
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double by) { value_.fetch_add(by, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  static constexpr MetricKind kKind = MetricKind::kHistogram;
  explicit Histogram(const MetricSpec& spec);
  void Observe(double value);
  // Of values up to the bound with that index; the last index is +Inf. Not cumulative.
  uint64_t CountAt(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::span<const double> bounds_;
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
  std::atomic<double> sum_{0};
};

class MetricFamily {
 public:
  MetricFamily(const MetricSpec& spec, MetricKind kind) : spec_(spec), kind_(kind) {}
  virtual ~MetricFamily() = default;
  virtual void AppendText(std::string& out) const = 0;

  const MetricSpec& spec() const { return spec_; }
  MetricKind kind() const { return kind_; }

 private:
  const MetricSpec spec_;
  const MetricKind kind_;
};

using LabelValues = std::initializer_list<std::string_view>;

template <typename Cell>
class MetricFamilyOf final : public MetricFamily {
 public:
  explicit MetricFamilyOf(const MetricSpec& spec) : MetricFamily(spec, Cell::kKind) {}

  // One value for each label of the spec, in its order.
  Cell& With(LabelValues values);
  void AppendText(std::string& out) const override;

 private:
  struct Entry {
    Entry(const MetricSpec& spec, LabelValues label_values)
        : values(label_values.begin(), label_values.end()), cell(spec) {}
    std::vector<std::string> values;
    Cell cell;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  Cell& Overflow();

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Entry>, KeyHash, std::equal_to<>> entries_;
};

using CounterFamily = MetricFamilyOf<Counter>;
using GaugeFamily = MetricFamilyOf<Gauge>;
using HistogramFamily = MetricFamilyOf<Histogram>;

class MetricsRegistry {
 public:
  MetricsRegistry() = default;
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // No two metrics have one name.
  CounterFamily& AddCounter(const MetricSpec& spec);
  GaugeFamily& AddGauge(const MetricSpec& spec);
  HistogramFamily& AddHistogram(const MetricSpec& spec);

  // A counter or gauge whose values are found out when they are asked for. `collect` calls its
  // argument for each combination of label values; any thread may call it, as long as the registry
  // lives.
  using Emit = std::function<void(LabelValues values, double value)>;
  void AddCollected(const MetricSpec& spec, MetricKind kind,
                    std::function<void(const Emit& emit)> collect);

  std::string Text() const;
  // What was added, sorted by name; valid as long as the registry.
  std::vector<const MetricFamily*> Families() const;

 private:
  template <typename Family>
  Family& Keep(std::string_view name, std::unique_ptr<Family> family);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<MetricFamily>, std::less<>> families_;
};

// As Go writes floating-point numbers in this format: 0.25, 1e+06, +Inf.
void AppendMetricNumber(std::string& out, double value);

}  // namespace skiff
