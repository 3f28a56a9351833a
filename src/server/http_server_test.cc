// Clients that mean harm, or do it by accident: memory stays bounded, good requests are answered,
// and every message is read in one way.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/clock_testing.h"
#include "server/http_text.h"
#include "server/served_testing.h"

namespace flyball {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

std::string head_of(const std::string& first, const std::string& fields) {
  return first + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}
const std::string chunks = "Transfer-Encoding: chunked\r\n";

// ---- Memory -------------------------------------------------------------------------------------

/// What a client that never ends saying `piece` behind `begin` adds to the memory of this process.
double added_mib(uint16_t port, const std::string& begin, const std::string& piece) {
  const double before = resident_mib();
  double most = before;
  const HttpTestClient client(port);
  client.say(begin);
  std::string mebibyte;
  while (mebibyte.size() < 1 << 20) mebibyte += piece;
  for (int i = 0; i < 200 && client.say(mebibyte); ++i) most = std::max(most, resident_mib());
  return most - before;
}

TEST(HttpAttack, EndlessFramingIsNotKept) {
  IdentityServing serving;
  const Served open(serving);
  HttpOptions with_token;
  with_token.token = "s3cret";
  const Served closed(serving, with_token);
  for (const auto& [served, first] :
       {std::pair(&open, infer_path), std::pair(&closed, std::string("POST /")),
        std::pair(&closed, std::string("GET /v2/health/live"))}) {
    const std::string head = head_of(first, chunks);
    const uint16_t port = served->server->port();
    EXPECT_LT(added_mib(port, head + "1;", "aaaaaaaaaaaaaaaa"), 32) << first;
    EXPECT_LT(added_mib(port, head, "1;x=\"yyyyyyyyyyyy\"\r\na\r\n"), 32) << first;
    EXPECT_LT(added_mib(port, head + "0\r\n", "X: yyyyyyyyyyyyy\r\n"), 32) << first;
    EXPECT_LT(added_mib(port, first + " HTTP/1.1\r\n", "X: yyyyyyyyyyyyy\r\n"), 32) << first;
  }
  EXPECT_THAT(open.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 200"));
}

TEST(HttpAttack, OnlyWhoMayAskIsListenedTo) {
  IdentityServing serving;
  HttpOptions options;
  options.token = "s3cret";
  const Served served(serving, options);
  const std::string length = "Content-Length: 1000\r\n";
  for (const std::string& fields : {length, chunks, length + "Expect: 100-continue\r\n"}) {
    HttpTestClient infer(served.server->port()), page(served.server->port()),
        health(served.server->port());
    infer.say(head_of(infer_path, fields));
    EXPECT_THAT(infer.hear(), StartsWith("HTTP/1.1 401"));
    page.say(head_of("POST /", fields));
    EXPECT_THAT(page.hear(), StartsWith("HTTP/1.1 405"));
    health.say(head_of("GET /v2/health/live", fields));
    EXPECT_THAT(health.hear(), StartsWith("HTTP/1.1 200"));
  }
}

TEST(HttpAttack, BodiesAreBoundedTogether) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.all_bodies = 4 << 20;
  options.limits.body_bytes = 2 << 20;
  const Served served(serving, options);
  const std::string large(2 << 20, ' ');
  const std::string head = head_of(infer_path, "Content-Length: 2097152\r\n");
  std::vector<std::unique_ptr<HttpTestClient>> holders;
  for (int i = 0; i < 2; ++i) {
    holders.push_back(std::make_unique<HttpTestClient>(served.server->port()));
    holders.back()->say(head + large.substr(1));
  }
  // Who only asks whether there is room takes none from holders that still speak.
  const std::string asks = "Content-Length: 262144\r\nExpect: 100-continue\r\n";
  std::string refused;
  ASSERT_TRUE(within_seconds_of_now(60, [&] {
    HttpTestClient client(served.server->port());
    client.say(head_of(infer_path, asks));
    refused = client.hear("\r\n\r\n");
    return refused.starts_with("HTTP/1.1 503");
  })) << refused;
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(served.ask(infer_path, large), StartsWith("HTTP/1.1 503"));
  HttpTestClient in_chunks(served.server->port());
  in_chunks.say(head_of(infer_path, chunks) + "200000\r\n" + large + "\r\n0\r\n\r\n");
  EXPECT_THAT(in_chunks.hear("\r\n\r\n"), StartsWith("HTTP/1.1 503"));
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 200")) << "small ones";
  EXPECT_THAT(served.ask("GET /v2/health/live"), StartsWith("HTTP/1.1 200"));
  holders.clear();
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    return served.ask(infer_path, large).starts_with("HTTP/1.1 400");
  })) << "what is no longer held is given back";
}

TEST(HttpAttack, ATensorCountsUntilItIsAnswered) {
  HttpOptions options;
  options.limits.all_bodies = 2 << 20;
  std::mutex mutex;
  std::vector<HttpReply> owed;
  const HttpHandler handler = {{}, [&](const HttpRequest& request, const HttpReply& reply) {
                                 const std::lock_guard lock(mutex);
                                 if (!reply.hold(request.body.size() * 4))
                                   return reply.send(error_response(503, "full"));
                                 owed.push_back(reply);
                               }};
  options.listen.port = 0;
  const auto server = *HttpServer::listen(options, handler);
  const std::string request = request_text("POST /x", std::string(400 << 10, 'a'));
  HttpTestClient first(server->port());
  first.say(request);
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    const std::lock_guard lock(mutex);
    return owed.size() == 1;
  }));
  EXPECT_THAT(http_exchange(server->port(), request), StartsWith("HTTP/1.1 503"));
  owed.front().send(error_response(200, ""));
  EXPECT_THAT(first.hear(), StartsWith("HTTP/1.1 200"));
  owed.clear();
  HttpTestClient second(server->port());
  second.say(request);
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    const std::lock_guard lock(mutex);
    return owed.size() == 1;
  }));
}

// ---- The threads --------------------------------------------------------------------------------

TEST(HttpAttack, ALargeBodyThatTakesLongDelaysNoSmallOne) {
  std::mutex mutex;
  std::condition_variable moved;
  bool open = false, taken = false;
  const HttpHandler handler = {{}, [&](const HttpRequest& request, const HttpReply& reply) {
                                 std::unique_lock lock(mutex);
                                 if (request.body.size() > 1000) {
                                   taken = true;
                                   moved.notify_all();
                                   moved.wait(lock, [&] { return open; });
                                 }
                                 reply.send(error_response(200, "answered"));
                               }};
  const auto server = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, handler);
  HttpTestClient large(server->port());
  large.say(request_text("POST /x", std::string(1 << 20, 'a')));
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(moved.wait_for(lock, std::chrono::seconds(60), [&] { return taken; }));
  }
  EXPECT_THAT(http_exchange(server->port(), request_text("POST /x", "small")),
              HasSubstr("answered"));
  {
    const std::lock_guard lock(mutex);
    open = true;
    moved.notify_all();
  }
  EXPECT_THAT(large.hear(), HasSubstr("answered"));
}

TEST(HttpAttack, ALargeAnswerThatTakesLongDelaysNoSmallOne) {
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  const HttpHandler handler = {{}, [&](const HttpRequest& request, const HttpReply& reply) {
                                 if (request.path == "/small")
                                   return reply.send(error_response(200, "small"));
                                 reply.send_made(1 << 20, [opened] {
                                   opened.wait();
                                   return error_response(200, "large");
                                 });
                               }};
  const auto server = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, handler);
  HttpTestClient large(server->port());
  large.say(request_text("GET /large"));
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(http_exchange(server->port(), request_text("GET /small")), HasSubstr("small"));
  open.set_value();
  EXPECT_THAT(large.hear(), HasSubstr("large"));
}

TEST(HttpAttack, AnswersAreBoundedTogether) {
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  const HttpHandler handler = {{}, [&](const HttpRequest& request, const HttpReply& reply) {
                                 const size_t bytes = std::stoul(request.path.substr(1));
                                 if (request.method == "GET")
                                   return reply.send({.body = std::string(bytes, 'a')});
                                 reply.send_made(bytes, [opened, bytes]() -> HttpResponse {
                                   opened.wait();
                                   return {.body = std::string(bytes, 'a')};
                                 });
                               }};
  HttpOptions options{.listen = {"127.0.0.1", 0}};
  options.limits.all_bodies = 1 << 20;
  const auto server = *HttpServer::listen(options, handler);
  const auto ask = [&](const std::string& what) {
    return http_exchange(server->port(), request_text(what));
  };
  const std::string refused = ask("GET /2000000");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("too many large answers at once"));
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(ask("GET /900000"), StartsWith("HTTP/1.1 200"));
  // One that is still being made counts, too.
  HttpTestClient first(server->port());
  first.say(request_text("POST /900000"));
  EXPECT_TRUE(
      within_seconds_of_now(60, [&] { return ask("GET /900000").starts_with("HTTP/1.1 503"); }));
  EXPECT_THAT(ask("POST /900000"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(ask("GET /1000"), StartsWith("HTTP/1.1 200"));
  open.set_value();
  EXPECT_THAT(first.hear(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("GET /900000"), StartsWith("HTTP/1.1 200"));
}

// An answer is owed to whoever has said all of a request, and to nobody else.
TEST(HttpAttack, HalfARequestHoldsNoDrainUp) {
  IdentityServing serving;
  const Served served(serving);
  HttpTestClient half(served.server->port()), idle(served.server->port());
  half.say(head_of(infer_path, "Content-Length: 1000\r\nExpect: 100-continue\r\n"));
  EXPECT_THAT(half.hear("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  half.say("{\"inputs\":");
  EXPECT_TRUE(served.server->drain(0.01));
  half.say(std::string(990, ' '));
  EXPECT_THAT(half.hear(), StartsWith("HTTP/1.1 503"));
  EXPECT_FALSE(half.reset());
}

TEST(HttpAttack, AnExceptionIsA500OfItsRequest) {
  const HttpHandler handler = {[](const HttpHead& head) -> std::optional<HttpResponse> {
                                 if (head.path == "/head")
                                   throw std::runtime_error("thrown at the head");
                                 return {};
                               },
                               [](const HttpRequest& request, const HttpReply& reply) {
                                 if (request.path == "/body")
                                   throw std::runtime_error("thrown at the body");
                                 reply.send_made(request.body.size(), []() -> HttpResponse {
                                   throw std::runtime_error("thrown at the answer");
                                 });
                               }};
  const auto server = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, handler);
  for (const size_t bytes : {size_t{1}, size_t{1} << 20}) {
    const auto ask = [&](const std::string& path) {
      return http_exchange(server->port(), request_text("POST " + path, std::string(bytes, 'a')));
    };
    for (const auto& [path, words] :
         {std::pair("/head", "thrown at the head"), std::pair("/body", "thrown at the body"),
          std::pair("/answer", "thrown at the answer")}) {
      EXPECT_THAT(ask(path), StartsWith("HTTP/1.1 500"));
      EXPECT_THAT(ask(path), HasSubstr(words));
    }
  }
  const HttpHandler no_errors = {{}, [](const HttpRequest& request, const HttpReply& reply) {
                                   reply.send_made(request.body.size(),
                                                   []() -> HttpResponse { throw 1; });
                                 }};
  const auto other = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, no_errors);
  for (const size_t bytes : {size_t{1}, size_t{1} << 20})
    EXPECT_THAT(http_exchange(other->port(), request_text("POST /x", std::string(bytes, 'a'))),
                HasSubstr("something was thrown that is no error"));
}

// ---- Connections --------------------------------------------------------------------------------

TEST(HttpAttack, ConnectionsThatAskForNothingMakeRoom) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.connections = 20;
  const Served served(serving, options);
  std::vector<std::unique_ptr<HttpTestClient>> idle;
  for (int i = 0; i < 60; ++i) {
    idle.push_back(std::make_unique<HttpTestClient>(served.server->port()));
    if (i % 2 == 0) idle.back()->say("GET /v2 HTTP/1.1\r\n");
  }
  for (int i = 0; i < 50; ++i)
    EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 200"));
}

TEST(HttpAttack, AConnectionThatNeverAsksIsClosed) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.header_s = options.limits.idle_s = 0.3;
  const Served served(serving, options);
  HttpTestClient silent(served.server->port()), served_once(served.server->port());
  served_once.say("GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(served_once.hear("}"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(silent.hear(), "");
  EXPECT_TRUE(silent.hung_up());
  EXPECT_EQ(served_once.hear(), "");
  EXPECT_TRUE(served_once.hung_up());
}

TEST(HttpAttack, WhereAllConnectionsAreBusyOthersAreTold) {
  std::mutex mutex;
  std::vector<HttpReply> owed;
  const HttpHandler handler = {{}, [&](const HttpRequest&, const HttpReply& reply) {
                                 const std::lock_guard lock(mutex);
                                 owed.push_back(reply);
                               }};
  HttpOptions options{.listen = {"127.0.0.1", 0}};
  options.limits.connections = 2;
  const auto server = *HttpServer::listen(options, handler);
  HttpTestClient first(server->port()), second(server->port());
  first.say(request_text("GET /a"));
  second.say(request_text("GET /a"));
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    const std::lock_guard lock(mutex);
    return owed.size() == 2;
  }));
  for (int i = 0; i < 40; ++i) {
    const std::string answer = http_exchange(server->port(), request_text("GET /a"));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  }
  owed.clear();
  EXPECT_THAT(first.hear(), HasSubstr("nobody answered"));
}

TEST(HttpAttack, ListenersAreCappedAndLeaveRoomForRequests) {
  IdentityServing serving;
  const FixedView view;
  HttpOptions options;
  options.limits.connections = 8;
  options.limits.listeners = 3;
  const Served served(serving, options, &view);
  const std::string listen = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<std::unique_ptr<HttpTestClient>> listeners;
  for (int i = 0; i < 3; ++i) {
    listeners.push_back(std::make_unique<HttpTestClient>(served.server->port()));
    listeners.back()->say(listen);
    EXPECT_THAT(listeners.back()->hear("\r\n\r\n"), HasSubstr("text/event-stream"));
  }
  for (int i = 0; i < 20; ++i) {
    HttpTestClient next(served.server->port());
    next.say(listen);
    const std::string refused = next.hear("}");
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(refused, HasSubstr("Retry-After: "));
  }
  EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 200"));
  listeners.pop_back();
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    HttpTestClient next(served.server->port());
    next.say(listen);
    return next.hear("\r\n\r\n").starts_with("HTTP/1.1 200");
  }));
}

TEST(HttpAttack, AListenerThatDoesNotReadIsDropped) {
  IdentityServing serving;
  const FixedView view;
  HttpOptions options;
  options.limits.listeners = 1;
  options.limits.listener_s = 0.3;
  options.limits.event_bytes = 1 << 30;
  const Served served(serving, options, &view);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const int small = 4096;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  const std::string listen = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  HttpTestClient deaf(served.server->port(), socket);
  deaf.say(listen);
  EXPECT_THAT(deaf.hear("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  for (int i = 0; i < 1000; ++i) served.server->publish(std::string(4096, 'x'));
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    HttpTestClient next(served.server->port());
    next.say(listen);
    return next.hear("\r\n\r\n").starts_with("HTTP/1.1 200");
  }));
}

TEST(HttpAttack, RequestsDuringADrainAreToldSo) {
  std::mutex mutex;
  std::vector<HttpReply> owed;
  const HttpHandler handler = {{}, [&](const HttpRequest& request, const HttpReply& reply) {
                                 if (request.path == "/a")
                                   return reply.send(error_response(200, "a"));
                                 const std::lock_guard lock(mutex);
                                 owed.push_back(reply);
                               }};
  const auto server = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, handler);
  HttpTestClient waits(server->port()), kept(server->port());
  const std::string again = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n";
  waits.say(request_text("GET /b"));
  kept.say(again);
  EXPECT_THAT(kept.hear("}"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(within_seconds_of_now(60, [&] {
    const std::lock_guard lock(mutex);
    return owed.size() == 1;
  }));
  EXPECT_FALSE(server->drain(0.01));
  kept.say(again);
  EXPECT_THAT(kept.hear(), StartsWith("HTTP/1.1 503"));
  EXPECT_TRUE(kept.hung_up());
  EXPECT_FALSE(kept.reset());
  for (int i = 0; i < 50; ++i) {
    HttpTestClient late(server->port());
    late.say(head_of("POST /a", "Content-Length: 100000\r\n") + std::string(100'000, 'a'));
    const std::string told = late.hear();
    EXPECT_THAT(told, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(told, HasSubstr("Connection: close\r\n"));
    EXPECT_FALSE(late.reset());
  }
  owed.clear();
  EXPECT_THAT(waits.hear(), StartsWith("HTTP/1.1 500"));
  EXPECT_TRUE(server->drain(60));
}

// Those in the kernel's queue when the server ends are answered, too.
TEST(HttpAttack, NobodyIsResetAtTheEnd) {
  IdentityServing serving;
  auto served = std::make_unique<Served>(serving);
  served->server->drain(60);
  std::vector<std::unique_ptr<HttpTestClient>> late;
  for (int i = 0; i < 50; ++i) {
    late.push_back(std::make_unique<HttpTestClient>(served->server->port()));
    late.back()->say(request_text("GET /v2"));
  }
  served.reset();
  for (const auto& client : late) {
    EXPECT_THAT(client->hear(), StartsWith("HTTP/1.1 503"));
    EXPECT_FALSE(client->reset());
  }
}

// ---- One reading --------------------------------------------------------------------------------

TEST(HttpAttack, NoMessageIsReadInTwoWays) {
  IdentityServing serving;
  const Served served(serving);
  const std::string next = "GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    length = "Content-Length: ";
  for (const std::string& fields :
       {"Transfer-Encoding: xchunked\r\n" + length + "5\r\n",
        std::string("Transfer-Encoding: \"chunked\"\r\n"),
        std::string("Transfer-Encoding: chunked, identity\r\n"),
        std::string("Transfer-Encoding: gzip, chunked\r\n"), chunks + length + "5\r\n",
        chunks + chunks, length + "5\r\n" + length + "5\r\n", length + "5, 5\r\n",
        length + "+5\r\n", std::string("X: a\r\n b: c\r\n"), std::string("X : a\r\n"),
        std::string("Host: localhost\r\n"), std::string("X: a\n"), std::string("X: a\rY: b\r\n")}) {
    HttpTestClient client(served.server->port());
    client.say(head_of(infer_path, fields) + "0\r\n\r\n" + next);
    const std::string heard = client.hear();
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 400")) << fields;
    EXPECT_THAT(heard, HasSubstr("Connection: close\r\n")) << fields;
    EXPECT_EQ(count_of(heard, "HTTP/1.1 "), 1u) << fields;
    EXPECT_TRUE(client.hung_up()) << fields;
  }
}

TEST(HttpAttack, HostsAreReadWhole) {
  IdentityServing serving;
  const Served served(serving);
  const auto status = [&](const std::string& fields) {
    const std::string heard = http_exchange(
        served.server->port(), "GET /v2 HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n");
    return heard.substr(0, 12);
  };
  for (const std::string host : {"127.evil.com", "127.0.0.1.evil.com", "localhost.evil.com"})
    EXPECT_EQ(status("Host: " + host + "\r\nOrigin: http://" + host + "\r\n"), "HTTP/1.1 403")
        << host;
  for (const std::string host : {"127.0.0.1@evil.com", "localhost:x:y", ""})
    EXPECT_EQ(status("Host: " + host + "\r\nOrigin: http://" + host + "\r\n"), "HTTP/1.1 400")
        << host;
  EXPECT_EQ(status(""), "HTTP/1.1 400");
  EXPECT_EQ(status("Host: localhost\r\nHost: localhost\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("Host: localhost\r\nHost: evil.com\r\n"), "HTTP/1.1 400");
  for (const std::string host : {"LOCALHOST", "localhost:1", "127.0.0.1:65535", "[::1]"})
    EXPECT_EQ(status("Host: " + host + "\r\n"), "HTTP/1.1 200") << host;
}

TEST(HttpAttack, WhatIsNotThereIs404WhateverTheMethod) {
  IdentityServing serving;
  const Served served(serving);
  for (const char* first : {"POST /v3", "DELETE /nothing", "POST /v2/models/identity/versions/2",
                            "POST /v2/models/identity/versions/2/infer",
                            "POST /v2/models/identity/versions/12/infer", "PUT /v2/%zz"})
    EXPECT_THAT(served.ask(first), StartsWith("HTTP/1.1 404")) << first;
  EXPECT_THAT(served.ask("POST /v2"), HasSubstr("Allow: GET"));
}

TEST(HttpAttack, HeadIsAnsweredWithoutABody) {
  IdentityServing serving;
  const FixedView view;
  const Served served(serving, {}, &view);
  const std::string events = served.ask("HEAD /events");
  EXPECT_THAT(events, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(events, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(events, EndsWith("\r\n\r\n"));
  EXPECT_EQ(count_of(events, "\r\n\r\n"), 1u);
  const std::string page = served.ask("HEAD /");
  EXPECT_THAT(page, Not(HasSubstr("Content-Length: 0")));
  EXPECT_THAT(page, EndsWith("\r\n\r\n"));
}

TEST(HttpAttack, NumbersThatAreNoneAreNamed) {
  IdentityServing serving;
  const Served served(serving);
  for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
    std::string body = two_numbers;
    body.replace(body.find("1.5"), 3, word);
    const std::string heard = served.ask(infer_path, body);
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(heard, HasSubstr(word));
  }
  EXPECT_THAT(served.ask(infer_path, R"({"NaN":)"), HasSubstr("the body is no JSON"));
}

TEST(HttpAttack, RequestsInOneBreathAreAnsweredInOrder) {
  IdentityServing serving;
  const Served served(serving);
  std::string all;
  for (int i = 0; i < 20; ++i) {
    std::string body = two_numbers;
    body.replace(body.find("\"7\""), 3, "\"n" + std::to_string(i) + "\"");
    all +=
        i % 2 == 0
            ? head_of(infer_path, "Content-Length: " + std::to_string(body.size()) + "\r\n") + body
            : head_of(infer_path, chunks) + "5\r\n" + body.substr(0, 5) + "\r\n" +
                  fmt::format("{:X}", body.size() - 5) + "\r\n" + body.substr(5) + "\r\n0\r\n\r\n";
  }
  HttpTestClient client(served.server->port());
  client.say(all);
  client.end_saying();
  const std::string heard = client.hear();
  EXPECT_EQ(count_of(heard, "HTTP/1.1 200"), 20u);
  size_t at = 0;
  for (int i = 0; i < 20; ++i) {
    const size_t found = heard.find("\"id\":\"n" + std::to_string(i) + "\"");
    ASSERT_NE(found, std::string::npos);
    EXPECT_GT(found, at);
    at = found;
  }
}

TEST(HttpAttack, WhoExpectsToGoOnIsTold) {
  IdentityServing serving;
  const Served served(serving);
  HttpTestClient client(served.server->port());
  client.say(head_of(infer_path, "Expect: 100-continue\r\nContent-Length: " +
                                     std::to_string(two_numbers.size()) + "\r\n"));
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say(two_numbers);
  EXPECT_THAT(client.hear("}]}"), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace flyball
