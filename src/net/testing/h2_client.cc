#include "net/testing/h2_client.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net/http2/field.h"

namespace keelson::net::testing {

using http2::Field;

struct ClientCallbacks {
  static H2Client& Self(void* user_data) { return *static_cast<H2Client*>(user_data); }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user_data) {
    auto& stream = Self(user_data).streams_[frame->hd.stream_id];
    const std::string_view n(reinterpret_cast<const char*>(name), name_size);
    const std::string v(reinterpret_cast<const char*>(value), value_size);
    if (n == ":status") {
      stream.status = std::atoi(v.c_str());
    } else {
      stream.headers.Add(n, v);
    }
    return 0;
  }
  static int OnData(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    auto& self = Self(user_data);
    auto& stream = self.streams_[id];
    stream.body_bytes += size;
    if (!self.options_.discard_bodies) stream.body.append(reinterpret_cast<const char*>(data), size);
    if (!self.options_.hold_windows) nghttp2_session_consume(session, id, size);
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    auto& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      ++self.goaways_;
      self.goaway_code_ = frame->goaway.error_code;
    } else if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
               (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
      self.streams_[frame->hd.stream_id].ended = true;
    }
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error_code, void* user_data) {
    auto& stream = Self(user_data).streams_[id];
    stream.closed = true;
    stream.error_code = error_code;
    return 0;
  }
  static ssize_t OnRead(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                        nghttp2_data_source*, void* user_data) {
    auto& upload = Self(user_data).streams_[id].upload;
    const size_t n = std::min(size, upload.size());
    std::memcpy(buffer, upload.data(), n);
    upload.erase(0, n);
    if (upload.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  }
};

H2Client::H2Client(std::unique_ptr<TlsSocket> socket, Options options)
    : socket_(std::move(socket)), options_(options) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, ClientCallbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, ClientCallbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, ClientCallbacks::OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, ClientCallbacks::OnClose);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_max_send_header_block_length(option, 4 << 20);
  nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(options_.stream_window)}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 1);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 64 << 20);
}

H2Client::~H2Client() { nghttp2_session_del(session_); }

base::Result<std::unique_ptr<H2Client>, std::string> H2Client::Connect(const std::string& host, uint16_t port,
                                                                       TlsOptions tls, Options options) {
  tls.alpn = "h2";
  auto socket = TRY(TlsSocket::Connect(host, port, tls));
  if (socket->alpn_protocol() != "h2") return base::Err(std::string("h2 not agreed on"));
  return std::unique_ptr<H2Client>(new H2Client(std::move(socket), options));
}

int32_t H2Client::Submit(std::string_view method, std::string_view path, const http::Headers& headers,
                         std::string body) {
  std::vector<nghttp2_nv> fields{Field(":method", method), Field(":scheme", "https"), Field(":path", path),
                                 Field(":authority", headers.Get("host").value_or("localhost"))};
  for (const auto& [name, value] : headers)
    if (name != "host") fields.push_back(Field(name, value));
  nghttp2_data_provider provider{.source = {.ptr = nullptr}, .read_callback = ClientCallbacks::OnRead};
  const int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                            body.empty() ? nullptr : &provider, nullptr);
  streams_[id].upload = std::move(body);
  return id;
}

void H2Client::Reset(int32_t stream, uint32_t error_code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, error_code);
}

void H2Client::Ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

bool H2Client::SendRaw(std::string_view bytes) { return Flush() && socket_->Write(bytes); }

bool H2Client::Flush() {
  std::string out;
  while (true) {
    const uint8_t* data = nullptr;
    const ssize_t n = nghttp2_session_mem_send(session_, &data);
    if (n <= 0) break;
    out.append(reinterpret_cast<const char*>(data), static_cast<size_t>(n));
    if (out.size() > 64 * 1024 && !socket_->Write(std::exchange(out, {}))) return false;
  }
  return socket_->Write(out);
}

bool H2Client::RunUntil(const std::function<bool()>& done, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  char buffer[16 * 1024];
  while (true) {
    if (!disconnected_ && !Flush()) disconnected_ = true;
    if (done()) return true;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (disconnected_ || left.count() <= 0) return false;
    auto n = socket_->Read(buffer, sizeof(buffer), std::min(left, std::chrono::milliseconds(50)));
    if (!n && n.error() == "timeout") continue;
    if (!n || *n == 0 || nghttp2_session_mem_recv(session_, reinterpret_cast<uint8_t*>(buffer), *n) < 0) {
      disconnected_ = true;
    }
  }
}

base::Result<H2Client::Stream, std::string> H2Client::Do(std::string_view method, std::string_view path,
                                                         const http::Headers& headers, std::string body) {
  const int32_t id = Submit(method, path, headers, std::move(body));
  if (!RunUntil([&] { return streams_[id].closed; })) {
    return base::Err(std::string(disconnected_ ? "disconnected" : "timeout"));
  }
  return streams_[id];
}

}  // namespace keelson::net::testing
