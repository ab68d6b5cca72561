#include "aggregator/ask.h"

#include <utility>

#include "registry/core/kubelet_location.h"

namespace keelson::aggregator {

base::Task<base::Result<auth::RemoteAnswer, std::string>> Ask(Backends& backends, ApiServicePtr service,
                                                              Question question) {
  const Backends::ClientPtr client = CO_TRY(backends.ClientFor(*service));
  auto destination = CO_TRY(co_await backends.Locate(*service->service));
  co_return co_await AskAt(*client, std::move(destination), std::move(question));
}

base::Task<base::Result<auth::RemoteAnswer, std::string>> AskAt(net::http::Client& client,
                                                                net::http::Destination destination,
                                                                Question question) {
  auth::RemoteRequest request{.method = std::move(question.method),
                              .body = base::Slice::Copy(question.body),
                              .limit_bytes = question.limit_bytes,
                              .timeout = question.timeout};
  request.url.authority = registry::core::HostPort(destination.host, destination.port);
  request.url.destination = std::move(destination);
  request.url.target = std::move(question.path);
  request.headers.Add("accept", question.accept);
  if (!question.content_type.empty()) request.headers.Add("content-type", question.content_type);
  if (!question.etag.empty()) request.headers.Add("if-none-match", question.etag);
  SetIdentity(*question.user, request.headers);
  auto answer = co_await auth::AskRemote(client, std::move(request));
  if (!answer) co_return base::Err(std::move(answer.error().message));
  co_return *std::move(answer);
}

}  // namespace keelson::aggregator
