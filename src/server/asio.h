// What of Boost.Asio is used here, and how it has to be included.
#pragma once

#define BOOST_ASIO_DISABLE_CO_AWAIT  // Boost 1.74's does not compile as C++20 with GCC 12
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK  // GCC's thread sanitizer knows no fences: -Werror=tsan
#endif
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace flyball {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

}  // namespace flyball
