#pragma once
/// A lazy coroutine. Runs on the executor of whoever awaits it; name aggregates and lambdas before a co_await (STYLE B1).

#include <boost/asio/awaitable.hpp>

namespace acceptd::runtime {

namespace asio = boost::asio;

template <class T>
using Task = asio::awaitable<T>;

}  // namespace acceptd::runtime
