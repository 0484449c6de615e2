// The server over sockets: limits, files, streams, slow and vanished callers, the end.
#include "server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "ridgeline/app/spec_file.h"
#include "server/peer.h"

namespace ridgeline::server {
namespace {

using app::Json;

constexpr char kJson[] = "application/json";
constexpr char kInspect[] = R"({"model": "llama-3.1-8b"})";

Json parsed(const std::string& text) {
  const auto json = app::parse_json(text);
  return json ? *json : Json();
}

// "hi", gzipped.
constexpr unsigned char kHi[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb,
                                 0xc8, 0x04, 0x00, 0xac, 0x2a, 0x93, 0xd8, 0x02, 0x00, 0x00, 0x00};

class Running {
 public:
  explicit Running(const std::string& token = "") : server_(options(token), limits(), kAssets) {
    EXPECT_TRUE(server_.bind());
    thread_ = std::thread([this] { server_.run(); });  // the port is open: callers wait for it
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.port());
    client_->set_keep_alive(false);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    server_.stop();
    thread_.join();
  }
  httplib::Client& client() { return *client_; }
  int port() const { return server_.port(); }

 private:
  static Options options(const std::string& token) {
    Options out;
    out.port = 0;
    out.token = token;
    return out;
  }
  static Limits limits() {
    Limits out;
    out.silence_s = 1;
    return out;
  }
  static inline const std::array<Asset, 2> kAssets = {
      Asset{"/index.html", {reinterpret_cast<const char*>(kHi), sizeof kHi}},
      Asset{"/assets/a.js", {reinterpret_cast<const char*>(kHi), sizeof kHi}}};

  Server server_;
  std::thread thread_;
  std::unique_ptr<httplib::Client> client_;
};

// A connection of our own, to send what no client would.
class Raw {
 public:
  explicit Raw(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  ~Raw() { ::close(socket_); }
  void send(const std::string& text) {
    EXPECT_GT(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), 0);
  }
  std::string read_all() {
    std::string out;
    std::array<char, 4096> part;
    for (ssize_t n = 0; (n = ::recv(socket_, part.data(), part.size(), 0)) > 0;) {
      out.append(part.data(), static_cast<std::size_t>(n));
    }
    return out;
  }

 private:
  int socket_;
};

TEST(Server, AnswersWithItsTimeAndPolicy) {
  Running server;
  const auto answer = server.client().Post("/v1/inspect", kInspect, kJson);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_GT(std::stod(answer->get_header_value("X-Ridgeline-Elapsed")), 0);
  EXPECT_NE(answer->get_header_value("Content-Security-Policy").find("default-src 'self'"),
            std::string::npos);
  EXPECT_EQ(parsed(answer->body)["command"], "inspect");
}

// A browser offers brotli; packing an answer takes longer than sending it to the same machine.
TEST(Server, SendsAnswersAndRefusalsUnpacked) {
  Running server;
  const httplib::Headers offers = {{"Accept-Encoding", "gzip, deflate, br"}};
  const auto answer = server.client().Post("/v1/inspect", offers, kInspect, kJson);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->has_header("Content-Encoding"));
  EXPECT_EQ(parsed(answer->body)["command"], "inspect");
  const auto refused = server.client().Post("/v1/inspect", offers, R"({"model": "none"})", kJson);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400);
  EXPECT_EQ(refused->get_header_value_count("X-Ridgeline-Elapsed"), 1U);
  EXPECT_EQ(parsed(refused->body)["error"]["where"], "/model");
}

TEST(Server, RefusesInJson) {
  Running server;
  httplib::Client& client = server.client();
  EXPECT_EQ(client.Get("/v1/inspect")->status, 405);
  EXPECT_EQ(client.Put("/v1/inspect", kInspect, kJson)->status, 405);
  EXPECT_EQ(client.Get("/v1/no-such")->status, 404);
  EXPECT_EQ(client.Get("/no-such.js")->status, 404);
  EXPECT_EQ(client.Post("/v1/inspect", "{", kJson)->status, 400);
  const auto large = client.Post("/v1/inspect", std::string(5'000'001, ' '), kJson);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 413);
  EXPECT_EQ(parsed(large->body)["error"]["code"], "out_of_range");
  EXPECT_TRUE(parsed(client.Get("/no-such.js")->body).contains("error"));
}

TEST(Server, GivesTheFilesOfTheBundleAndNoOther) {
  Running server;
  httplib::Client& client = server.client();
  EXPECT_EQ(client.Get("/")->body, "hi");
  EXPECT_EQ(client.Get("/inspect")->body, "hi");
  EXPECT_EQ(client.Get("/assets/a.js")->get_header_value("Cache-Control"),
            "public, max-age=31536000, immutable");
  for (const char* path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fa.js",
        "//etc/passwd.txt", "/etc/hosts.allow", "/assets/a.js%00.html"}) {
    const auto answer = client.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_TRUE(answer->status >= 400 || answer->body == "hi") << path << answer->body;
  }
}

TEST(Server, AsksForItsToken) {
  const std::string token = "0123456789abcdef";
  Running server(token);
  httplib::Client& client = server.client();
  EXPECT_EQ(client.Get("/")->status, 401);
  EXPECT_EQ(client.Post("/v1/inspect", kInspect, kJson)->status, 401);
  EXPECT_EQ(
      client.Post("/v1/inspect", {{"Authorization", "Bearer " + token}}, kInspect, kJson)->status,
      200);
  const auto opened = client.Get("/?token=" + token);
  EXPECT_EQ(opened->status, 200);
  EXPECT_EQ(opened->get_header_value("Set-Cookie").rfind("ridgeline_token=" + token, 0), 0U);
}

TEST(Server, RefusesPagesOfOthers) {
  Running server;
  const httplib::Headers foreign = {{"Origin", "http://evil.example"}};
  EXPECT_EQ(server.client().Post("/v1/inspect", foreign, kInspect, kJson)->status, 403);
  const httplib::Headers rebound = {{"Host", "evil.example"}};
  EXPECT_EQ(server.client().Post("/v1/inspect", rebound, kInspect, kJson)->status, 403);
}

TEST(Server, StreamsProgressAndTheAnswer) {
  Running server;
  const auto answer =
      server.client().Post("/v1/explore", {{"Accept", "text/event-stream"}},
                           R"({"model": "llama-3.1-8b", "depth": "coarse"})", kJson);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/event-stream");
  const std::size_t result = answer->body.find("event: result\ndata: {");
  ASSERT_NE(result, std::string::npos);
  const std::size_t from = answer->body.find('{', result);
  EXPECT_EQ(parsed(answer->body.substr(from, answer->body.rfind('}') - from + 1))["command"],
            "explore");
  const auto refused =
      server.client().Post("/v1/explore", {{"Accept", "text/event-stream"}}, "{}", kJson);
  EXPECT_EQ(refused->body.rfind("event: error\ndata: {", 0), 0U);
}

// 64 million machines: minutes of work, but for one search at a time.
constexpr char kLongSearch[] =
    R"({"model": "llama-3.1-8b", "objectives": ["latency_s", "cost_x_pes"], "space": {"base": "coarse",
    "axes": {"machine.pe_hbm_gb": {"from": 2, "to": 8, "steps": 20},
    "machine.bw_hbm_gbs": {"from": 100, "to": 900, "steps": 20},
    "machine.peak_tflops_f16": {"from": 2, "to": 40, "steps": 20},
    "machine.bw_intra_gbs": {"from": 100, "to": 900, "steps": 20},
    "machine.bw_inter_gbs": {"from": 100, "to": 900, "steps": 20},
    "machine.bw_intersip_gbs": {"from": 10, "to": 90, "steps": 20}}}})";

class Left : public ::testing::TestWithParam<const char*> {};

// One search runs at a time: the next is answered because the one that was left has stopped.
TEST_P(Left, InTheMiddleOfASearchTheCallerIsForgotten) {
  Running server;
  {
    Raw caller(server.port());
    caller.send("POST /v1/explore HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(GetParam()) +
                "Content-Length: " + std::to_string(std::string(kLongSearch).size()) + "\r\n\r\n" +
                kLongSearch);
  }
  server.client().set_read_timeout(60);
  const auto after = server.client().Post("/v1/explore", R"({"model": "llama-3.1-8b"})", kJson);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->status, 200) << after->body;
}

INSTANTIATE_TEST_SUITE_P(Callers, Left, ::testing::Values("Accept: text/event-stream\r\n", ""));

TEST(Peer, IsGoneOnceItsConnectionIsClosed) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&here), size), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&here), &size), 0);
  auto caller = std::make_unique<Raw>(ntohs(here.sin_port));
  sockaddr_in from{};
  const int accepted = ::accept(listening, reinterpret_cast<sockaddr*>(&from), &size);
  Peer peer("127.0.0.1", ntohs(from.sin_port)), stranger("127.0.0.1", 1);
  EXPECT_FALSE(peer.gone());
  caller->send("more");
  EXPECT_FALSE(peer.gone());
  std::array<char, 4> read{};
  EXPECT_EQ(::recv(accepted, read.data(), read.size(), MSG_WAITALL), 4);
  caller.reset();
  EXPECT_EQ(::recv(accepted, read.data(), read.size(), 0), 0);  // waits for the end to come
  EXPECT_TRUE(peer.gone());
  EXPECT_TRUE(stranger.gone());
  ::close(accepted);
  ::close(listening);
}

TEST(Server, AnswersOthersWhileOneSendsSlowly) {
  Running server;
  Raw slow(server.port());
  slow.send("POST /v1/inspect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(server.client().Post("/v1/inspect", kInspect, kJson)->status, 200);
}

TEST(Server, RefusesWhatIsNoHttp) {
  Running server;
  for (const std::string text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"}) {
    Raw caller(server.port());
    caller.send(text);
    const std::string answer = caller.read_all();
    EXPECT_EQ(answer.find("200"), std::string::npos) << answer;
  }
  EXPECT_EQ(server.client().Post("/v1/inspect", kInspect, kJson)->status, 200);
}

TEST(Program, ServesAndEndsOnSigterm) {
  std::array<int, 2> out{};
  ASSERT_EQ(::pipe(out.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::execl(RIDGELINE_PROGRAM, "ridgeline", "serve", "--port", "0", "--no-browser", nullptr);
    ::_exit(127);
  }
  std::string printed;
  char c = 0;
  while (printed.find('\n') == std::string::npos && ::read(out[0], &c, 1) == 1) printed += c;
  const std::size_t colon = printed.rfind(':');
  ASSERT_NE(colon, std::string::npos) << printed;
  httplib::Client client("127.0.0.1", std::stoi(printed.substr(colon + 1)));
  client.set_keep_alive(true);  // an open connection does not hold the end up
  const auto answer = client.Post("/v1/inspect", kInspect, kJson);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  ::kill(child, SIGTERM);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ::close(out[0]);
  ::close(out[1]);
}

}  // namespace
}  // namespace ridgeline::server
