#include "server/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <chrono>

#include "server/access.h"
#include "server/peer.h"

namespace ridgeline::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotFound = 404, kNotAllowed = 405, kTooLarge = 413;
constexpr int kThreads = 64;  // one per open connection
constexpr int kRequestsPerConnection = 1'000'000;
constexpr std::chrono::milliseconds kBetweenEvents{50};
constexpr char kJson[] = "application/json";
constexpr char kElapsed[] = "X-Ridgeline-Elapsed";  // on every answer of ours
constexpr char kEvents[] = "text/event-stream";
constexpr char kApi[] = "/v1/";
constexpr char kPolicy[] =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob: data:; "
    "worker-src 'self'";
constexpr char kNoPage[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Ridgeline</title>"
    "<h1>Ridgeline</h1><p>This program was built without the dashboard. The API answers: "
    "<code>POST /v1/inspect</code> with <code>{\"model\": \"llama-3.1-8b\"}</code>; "
    "<a href=\"/v1/schema\">/v1/schema</a> says what there is. "
    "With npm installed, <code>./ridgeline serve</code> builds the dashboard.</p></html>\n";

const char* type_of(std::string_view path) {
  const std::string_view ending = path.substr(std::min(path.rfind('.'), path.size()));
  if (ending == ".js") return "text/javascript";
  if (ending == ".css") return "text/css";
  if (ending == ".wasm") return "application/wasm";
  if (ending == ".svg") return "image/svg+xml";
  if (ending == ".woff2") return "font/woff2";
  if (ending == ".png") return "image/png";
  if (ending == ".json" || ending == ".map") return kJson;
  return "text/html; charset=utf-8";
}

Caller caller_of(const httplib::Request& request) {
  return {request.get_header_value("Host"), request.get_header_value("Origin"),
          request.get_header_value("Authorization"), request.get_header_value("Cookie"),
          request.get_param_value("token")};
}

// As it is: the library would pack it with its slowest setting, which takes longer than most
// answers.
void send(Reply reply, httplib::Response& response) {
  response.status = reply.status;
  response.set_header(kElapsed, fmt::format("{:.6f}", reply.elapsed_s));
  if (reply.status == 503) response.set_header("Retry-After", "1");
  const std::size_t size = reply.body.size();
  response.set_content_provider(
      size, kJson,
      [body = std::move(reply.body)](std::size_t offset, std::size_t length,
                                     httplib::DataSink& sink) {
        return sink.write(body.data() + offset, length);
      });
}

// What a status without a body of ours means.
Error error_of(int status) {
  switch (status) {
    case kNotFound: return {ErrorCode::unknown_name, "", "there is nothing here", "open /"};
    case kTooLarge:
      return {ErrorCode::out_of_range, "", "the request is too large", "send 5 MB at most"};
    case kNotAllowed: return {ErrorCode::usage, "", "not asked for in this way", "use POST"};
    case 500: return {ErrorCode::internal, "", "the request met a bug", ""};
    default: return {ErrorCode::bad_value, "", "this is no request that can be read", ""};
  }
}

// One event. The line ends of a JSON text are only between its parts: the data is one line.
std::string event(std::string_view name, std::string data) {
  std::erase(data, '\n');
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

}  // namespace

struct Server::State {
  Options options;
  Limits limits;
  std::span<const Asset> assets;
  Api api;
  httplib::Server http;
  std::atomic<bool> stopping{false};
  int port = 0;

  State(const Options& o, const Limits& l, std::span<const Asset> a)
      : options(o), limits(l), assets(a), api(l) {
    limit();
    guard();
    route();
  }

  void limit() {
    http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    http.set_tcp_nodelay(true);
    http.set_keep_alive_max_count(kRequestsPerConnection);
    http.set_keep_alive_timeout(limits.silence_s);
    http.set_read_timeout(limits.silence_s);
    http.set_write_timeout(limits.silence_s);
    http.set_payload_max_length(limits.body_bytes);
  }

  void guard() {
    http.set_pre_routing_handler([this](const httplib::Request& request,
                                        httplib::Response& response) {
      response.set_header("Content-Security-Policy", kPolicy);
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("Referrer-Policy", "no-referrer");
      if (const auto refused = refusal(caller_of(request), options.token)) {
        send(*refused, response);
        response.set_header("Connection", "close");
        return httplib::Server::HandlerResponse::Handled;
      }
      if (!options.token.empty() && request.has_param("token")) {
        response.set_header("Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                      kTokenCookie, options.token));
      }
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.has_header(kElapsed))
        send(error_reply(response.status, error_of(response.status)), response);
    });
    http.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
          send(error_reply(500, error_of(500)), response);
        });
  }

  void route() {
    http.Post("/v1/(.+)", [this](const httplib::Request& request, httplib::Response& response) {
      post(request, response);
    });
    http.Get("/v1/(.+)", [this](const httplib::Request& request, httplib::Response& response) {
      send(api.get(request.matches[1].str()), response);
    });
    http.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      page(request.path, response);
    });
    const auto refuse = [](const httplib::Request&, httplib::Response& response) {
      send(error_reply(kNotAllowed, error_of(kNotAllowed)), response);
    };
    http.Post(".*", refuse)
        .Put(".*", refuse)
        .Patch(".*", refuse)
        .Delete(".*", refuse)
        .Options(".*", refuse);
  }

  void post(const httplib::Request& request, httplib::Response& response) {
    const std::string path = request.matches[1].str();
    if (request.get_header_value("Accept").find(kEvents) == std::string::npos) {
      return answer(path, request, response);
    }
    response.set_header("Cache-Control", "no-cache");
    response.set_chunked_content_provider(
        kEvents, [this, path, body = request.body](std::size_t, httplib::DataSink& sink) {
          stream(path, body, sink);
          sink.done();
          return true;
        });
  }

  // The work stops when its caller is gone.
  void answer(const std::string& path, const httplib::Request& request,
              httplib::Response& response) {
    Peer peer(request.remote_addr, request.remote_port);
    Clock::time_point next = Clock::now() + kBetweenEvents;
    const auto goes_on = [&](double) {
      if (stopping) return false;
      if (Clock::now() < next) return true;
      next = Clock::now() + kBetweenEvents;
      return !peer.gone();
    };
    send(api.post(path, request.body, goes_on), response);
  }

  // Tells how far the work is; a caller who is gone stops it.
  void stream(const std::string& path, const std::string& body, httplib::DataSink& sink) {
    Clock::time_point next = Clock::now();
    const auto tell = [&](double share) {
      if (stopping) return false;
      if (Clock::now() < next) return true;
      next = Clock::now() + kBetweenEvents;
      const std::string text = event("progress", fmt::format("{{\"share\": {:.4f}}}", share));
      return sink.is_writable() && sink.write(text.data(), text.size());
    };
    const Reply reply = api.post(path, body, tell);
    const std::string text = event(reply.status == 200 ? "result" : "error", reply.body);
    if (sink.is_writable()) sink.write(text.data(), text.size());
  }

  const Asset* find(std::string_view path) const {
    for (const Asset& asset : assets) {
      if (asset.path == path) return &asset;
    }
    return nullptr;
  }

  // A file of the bundle; a path without an ending is a view of the one page.
  void page(const std::string& path, httplib::Response& response) {
    if (path.rfind(kApi, 0) == 0)
      return send(error_reply(kNotFound, error_of(kNotFound)), response);
    const bool view = path.find('.') == std::string::npos;
    if (assets.empty() && view) return response.set_content(kNoPage, "text/html; charset=utf-8");
    const Asset* asset = find(view ? "/index.html" : path);
    if (asset == nullptr) return send(error_reply(kNotFound, error_of(kNotFound)), response);
    const bool immutable = path.rfind("/assets/", 0) == 0;
    response.set_header("Content-Encoding", "gzip");
    response.set_header("Cache-Control",
                        immutable ? "public, max-age=31536000, immutable" : "no-cache");
    response.set_content_provider(
        asset->gzipped.size(), type_of(asset->path),
        [bytes = asset->gzipped](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          return sink.write(bytes.data() + offset, length);
        });
  }
};

Server::Server(const Options& options, const Limits& limits, std::span<const Asset> assets)
    : state_(std::make_unique<State>(options, limits, assets)) {}

Server::~Server() = default;

Status Server::bind() {
  State& s = *state_;
  const bool any = s.options.port == 0;
  const int port =
      any ? s.http.bind_to_any_port(s.options.address.c_str())
          : (s.http.bind_to_port(s.options.address.c_str(), s.options.port) ? s.options.port : -1);
  if (port < 0) {
    return Error{ErrorCode::io, "--port",
                 fmt::format("cannot listen on {} port {}", s.options.address, s.options.port),
                 "another program may have it: give another, or 0 for any that is free"};
  }
  s.port = port;
  return Ok{};
}

int Server::port() const {
  return state_->port;
}

void Server::run() {
  state_->http.listen_after_bind();
}

void Server::stop() {
  state_->stopping = true;
  state_->http.stop();
}

}  // namespace ridgeline::server
