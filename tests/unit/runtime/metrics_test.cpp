#include "runtime/metrics.hpp"

#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace acceptd::runtime {
namespace {

TEST(Metrics, AreWrittenInTheTextFormat) {
  Metrics metrics;
  metrics.counter("accepted_total", "Operations accepted.", {{"kind", "create"}}).Increment(2);
  metrics.counter("accepted_total", "Operations accepted.", {{"kind", "delete"}}).Increment();
  metrics.gauge("active", "Operations under way.").Set(5);
  prometheus::Histogram& seconds = metrics.histogram("step_seconds", "Duration of a step.", {0.1, 1});
  seconds.Observe(0.05);
  seconds.Observe(3);
  const std::string text = metrics.text();
  for (const char* line :
       {"# HELP accepted_total Operations accepted.\n", "# TYPE accepted_total counter\n", "accepted_total{kind=\"create\"} 2\n",
        "accepted_total{kind=\"delete\"} 1\n", "active 5\n", "step_seconds_count 2\n", "step_seconds_bucket{le=\"0.1\"} 1\n",
        "step_seconds_bucket{le=\"+Inf\"} 2\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Metrics, TheSameNameAndLabelsAreTheSameFigure) {
  Metrics metrics;
  EXPECT_EQ(&metrics.counter("a_total", "A.", {{"l", "x"}}), &metrics.counter("a_total", "A.", {{"l", "x"}}));
  EXPECT_NE(&metrics.counter("a_total", "A.", {{"l", "x"}}), &metrics.counter("a_total", "A.", {{"l", "y"}}));
}

}  // namespace
}  // namespace acceptd::runtime
