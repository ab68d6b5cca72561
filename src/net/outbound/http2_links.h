// Http2Links: the connections that requests share by HTTP/2, and who waits for one that is being made.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"
#include "net/http/endable.h"
#include "net/outbound/http2_link.h"
#include "net/outbound/place.h"

namespace keelson::net::outbound {

// Threads: any loop; a link is given only to the loop that it belongs to. The loops outlive this.
class Http2Links {
 public:
  // A request that waits until another one has made a connection, or could not.
  class Wait final : public http::Endable {
   public:
    base::Task<void> Over();
    void Fail(std::string why) override;

   private:
    base::Completion<bool> over_;
    bool told_ = false;
  };

  // A connection that a request makes, and that others may wait for; its end tells them.
  class Opening {
   public:
    Opening(std::shared_ptr<Http2Links> links, EventLoop& loop, std::string where);
    ~Opening();
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    // The server has chosen HTTP/2: requests share the connection from now on.
    void Share(std::shared_ptr<Http2Link> link);
    // It has not: nobody need wait for a connection that serves one request at a time.
    void Decline();

   private:
    const std::shared_ptr<Http2Links> links_;
    EventLoop& loop_;
    const std::string where_;
  };

  Http2Links() = default;
  ~Http2Links();
  Http2Links(const Http2Links&) = delete;
  Http2Links& operator=(const Http2Links&) = delete;

  // One that leads to `where`, on which a call can begin; null: there is none.
  std::shared_ptr<Http2Link> Find(EventLoop& loop, const std::string& where);
  // Null: nobody is making a connection that could be shared.
  std::shared_ptr<Wait> Join(EventLoop& loop, const std::string& where);

 private:
  struct Known {
    std::vector<std::shared_ptr<Http2Link>> links;
    std::vector<std::shared_ptr<Wait>> waiting;
    int opening = 0;
    bool declined = false;  // the server has chosen HTTP/1.1 when it was last asked

    bool unused() const { return links.empty() && waiting.empty() && opening == 0; }
  };

  base::Mutex mu_;
  std::map<Place, Known, PlaceBefore> known_ GUARDED_BY(mu_);
};

}  // namespace keelson::net::outbound
