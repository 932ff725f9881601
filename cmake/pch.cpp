// Asio's non-template code, compiled once (BOOST_ASIO_SEPARATE_COMPILATION). http/ does the same for Beast.
#include <boost/asio/impl/src.hpp>
