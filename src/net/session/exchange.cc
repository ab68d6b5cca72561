#include "net/session/exchange.h"

#include <utility>

namespace keelson::net {

// Lives in the frame of Read, so an exchange pays for a timer only while somebody waits.
class Exchange::Arrival {
 public:
  explicit Arrival(Exchange& exchange)
      : exchange_(exchange), timeout_(exchange.context_.timers, [&exchange] { exchange.Expire(); }) {}

  bool await_ready() const { return exchange_.Readable(); }
  void await_suspend(std::coroutine_handle<> reader) {
    exchange_.reader_ = reader;
    if (!exchange_.reopened_) timeout_.Start(exchange_.context_.config.body_idle_timeout);
    if (!std::exchange(exchange_.waited_, true)) exchange_.owner_->OnFirstWait(exchange_);
  }
  void await_resume() { timeout_.Cancel(); }

 private:
  Exchange& exchange_;
  Timer timeout_;
};

base::Task<void> Exchange::Run(ExchangePtr self) {
  http::Response response = co_await self->context_.handler.Handle(self->request);
  self->answered_ = true;
  self->head.Release();
  self->context_.handlers_running.fetch_sub(1, std::memory_order_release);
  if (self->owner_) self->owner_->OnResponse(*self, std::move(response));
}

void Exchange::Start() {
  started_ = true;
  context_.handlers_running.fetch_add(1, std::memory_order_relaxed);
  base::Spawn(Run(ExchangePtr(this)));
}

void Exchange::Deliver(std::string_view bytes) {
  arrived_.Append(bytes);
  ResumeReader();
}

void Exchange::DeliverEnd() {
  ended_ = true;
  ResumeReader();
}

void Exchange::Reopen() {
  ended_ = false;
  reopened_ = true;
}

void Exchange::Abandon() {
  if (!owner_) return;
  owner_ = nullptr;
  if (!ended_) failed_ = http::BodyError::kClosed;
  head.LeaveConnection();
  pump.Reset();
  ResumeReader();
  TellGone();
}

void Exchange::WhenGone(std::function<void()> gone) {
  gone_ = std::move(gone);
  if (!owner_) TellGone();
}

void Exchange::TellGone() {
  if (gone_) context_.executor.Post(std::exchange(gone_, nullptr));
}

void Exchange::Expire() {
  if (!failed_) failed_ = http::BodyError::kTimeout;
  ResumeReader();
}

void Exchange::ResumeReader() {
  if (!reader_) return;
  // Never from here: this runs deep inside the protocol engine.
  context_.executor.Post([reader = std::exchange(reader_, nullptr)] { reader.resume(); });
}

base::Task<base::Result<std::optional<base::Slice>, http::BodyError>> Exchange::Read() {
  using Piece = base::Result<std::optional<base::Slice>, http::BodyError>;
  const ExchangePtr self(this);  // the session may let go of it meanwhile
  {
    Arrival arrival(*this);
    co_await arrival;
  }
  if (failed_) co_return Piece(base::Err(*failed_));
  if (arrived_.size() == 0) co_return Piece(std::nullopt);
  base::Slice bytes = arrived_.Take();
  if (owner_) owner_->OnConsumed(*this, bytes.size());
  co_return Piece(std::optional<base::Slice>(std::move(bytes)));
}

}  // namespace keelson::net
