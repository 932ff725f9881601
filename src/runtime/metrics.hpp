#pragma once
/// Figures for Prometheus: a thin registry over prometheus-cpp. Label values must come from small closed sets.

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Registry;
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace acceptd::runtime {

/// Thread-safe. Keep the references that it returns: finding one again takes a lock.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;
  Metrics();
  ~Metrics();

  prometheus::Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  prometheus::Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  /// `bounds`: upper bounds of the buckets, growing, in the metric's unit.
  prometheus::Histogram& histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                                   const Labels& labels = {});
  /// The text exposition format.
  std::string text() const;

 private:
  std::shared_ptr<prometheus::Registry> registry_;
};

}  // namespace acceptd::runtime
