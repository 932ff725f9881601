// acceptctl: the command line of acceptd.

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>

#include "arguments.hpp"
#include "commands.hpp"
#include "runtime/system_clock.hpp"
#include "runtime/system_random.hpp"

namespace acceptd::acceptctl {
namespace {

/// Throws std::exception for a server address that is none.
ExitCode run_to_end(const Arguments& arguments) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  runtime::asio::io_context io(1);
  const http::ClientOptions options{.url = arguments.server, .connections_max = 1};
  const auto client = http::make_client(io.get_executor(), options, clock);
  ExitCode code = ExitCode::unreachable;
  auto finished = [&](std::exception_ptr error, ExitCode result) {
    if (error) std::rethrow_exception(error);
    code = result;
    io.stop();  // keep-alive connections would hold run() back
  };
  const Session::Dependencies dependencies{*client, clock, random};
  runtime::asio::co_spawn(io, run(arguments, dependencies), finished);
  io.run();
  return code;
}

}  // namespace
}  // namespace acceptd::acceptctl

int main(int argc, char** argv) {
  using namespace acceptd::acceptctl;
  const auto arguments = parse_arguments(argc, argv);
  if (!arguments) return arguments.error();
  try {
    return static_cast<int>(run_to_end(*arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "acceptctl: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  }
}
