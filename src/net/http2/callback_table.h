// CallbackTable: hands what nghttp2 tells of a session to the functions of one class.
#pragma once

#include <nghttp2/nghttp2.h>

namespace keelson::net::http2 {

// The table of `Callbacks`, whose static functions are named after nghttp2's callbacks. Made once, and never
// freed: sessions share it.
template <class Callbacks>
nghttp2_session_callbacks* CallbackTable() {
  static nghttp2_session_callbacks* const table = [] {
    nghttp2_session_callbacks* t = nullptr;
    nghttp2_session_callbacks_new(&t);
    nghttp2_session_callbacks_set_on_begin_headers_callback(t, Callbacks::OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(t, Callbacks::OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(t, Callbacks::OnDataChunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(t, Callbacks::OnFrameRecv);
    nghttp2_session_callbacks_set_on_stream_close_callback(t, Callbacks::OnStreamClose);
    nghttp2_session_callbacks_set_on_frame_send_callback(t, Callbacks::OnFrameSend);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(t, Callbacks::OnFrameNotSend);
    nghttp2_session_callbacks_set_send_data_callback(t, Callbacks::OnSendData);
    return t;
  }();
  return table;
}

}  // namespace keelson::net::http2
