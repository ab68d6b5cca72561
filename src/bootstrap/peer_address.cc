#include "bootstrap/peer_address.h"

namespace keelson::bootstrap {

base::Task<Done> PeerAddress::Announce() {
  const auto turn = co_await turns_.Take();
  if (withdrawn_) co_return Done();
  co_return co_await leases_.Renew(own_);
}

base::Task<Done> PeerAddress::Withdraw() {
  withdrawn_ = true;
  const auto turn = co_await turns_.Take();
  CO_TRY(co_await leases_.Remove(own_.name));
  co_return Done();
}

}  // namespace keelson::bootstrap
