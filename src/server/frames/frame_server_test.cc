#include "server/frames/frame_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/frame_testing.h"
#include "server/http_client_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

HttpResponse answer(const FrameServer& server, const std::string& path,
                    const std::string& method = "GET") {
  const auto response = server.at_head({method, path});
  EXPECT_TRUE(response) << path;
  return response.value_or(HttpResponse());
}

TEST(FrameServer, TellsMetricsOnceThereIsAFrame) {
  FrameServer server(5);
  EXPECT_EQ(answer(server, "/metrics").status, 503);
  server.take(full_frame());
  const HttpResponse metrics = answer(server, "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("flyball_board_power_watts{total=\"module\"} 7.25\n"));
  EXPECT_THAT(metrics.content_type, HasSubstr("version=0.0.4"));
  EXPECT_EQ(answer(server, "/").status, 200);
  EXPECT_EQ(answer(server, "/v2/health/live").status, 200);
}

TEST(FrameServer, RefusesAllElse) {
  FrameServer server(5);
  server.take(full_frame());
  EXPECT_EQ(answer(server, "/secret").status, 404);
  EXPECT_EQ(answer(server, "/metrics", "POST").status, 405);
}

TEST(FrameServer, OldFiguresAreNotTold) {
  FrameServer server(0);
  server.take(full_frame());
  EXPECT_EQ(answer(server, "/metrics").status, 503);
}

// As systemd hands it over: bound and listening.
TEST(FrameServer, ListensOnASocketThatWasHandedOver) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(socket, 8), 0);
  const auto bound = address_of_socket(socket);
  ASSERT_TRUE(bound.ok());
  FrameServer frames(5);
  frames.take(full_frame());
  const auto server = HttpServer::listen({.listening = socket}, frames.handler());
  ASSERT_TRUE(server.ok()) << server.error().message;
  EXPECT_EQ((*server)->port(), bound->port);
  EXPECT_THAT(http_exchange((*server)->port(), request_text("GET /metrics")),
              HasSubstr("flyball_board_power_watts"));
}

TEST(FrameServer, WhatIsNoTcpSocketIsRefused) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_FALSE(address_of_socket(socket).ok());
  ::close(socket);
}

}  // namespace
}  // namespace flyball
