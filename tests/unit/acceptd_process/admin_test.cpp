#include "apps/acceptd/process/admin.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace acceptd::process {
namespace {

class AdminTest : public ::testing::Test {
 protected:
  http::Response ask(http::Method method, const std::string& path) {
    http::Response answer;
    const http::Handler handler = make_admin_handler({.metrics = [] { return "figures"; }, .ready = [this] { return ready_; }});
    boost::asio::io_context io;
    http::Request request{.method = method, .target = path, .path = path};
    boost::asio::co_spawn(io, handler(std::move(request)), [&](std::exception_ptr failure, http::Response response) {
      EXPECT_FALSE(failure);
      answer = std::move(response);
    });
    io.run();
    return answer;
  }
  bool ready_ = true;
};

TEST_F(AdminTest, ShowsMetricsAndHealth) {
  EXPECT_EQ(ask(http::Method::get, "/metrics").body, "figures");
  EXPECT_EQ(ask(http::Method::get, "/healthz").status, 200u);
  EXPECT_EQ(ask(http::Method::get, "/readyz").status, 200u);
  EXPECT_EQ(ask(http::Method::get, "/elsewhere").status, 404u);
  EXPECT_EQ(ask(http::Method::post, "/metrics").status, 405u);
}

TEST_F(AdminTest, IsNotReadyWhileItStopsButStillRuns) {
  ready_ = false;
  EXPECT_EQ(ask(http::Method::get, "/readyz").status, 503u);
  EXPECT_EQ(ask(http::Method::get, "/healthz").status, 200u);
}

}  // namespace
}  // namespace acceptd::process
