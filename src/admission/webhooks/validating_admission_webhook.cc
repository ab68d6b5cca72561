#include "admission/webhooks/validating_admission_webhook.h"

#include <optional>
#include <vector>

#include "admission/policies/exempt.h"
#include "base/gathering.h"

namespace keelson::admission {
namespace {

// One webhook that is asked.
struct Question {
  const Webhook* webhook = nullptr;
  size_t index = 0;  // among those that are asked
  std::unique_ptr<VersionedRequest> request;
  Verdict verdict;
};

base::Task<base::Gathering::Done> AskOne(Questions& questions, Question& question, const base::Clock& clock) {
  const auto began = clock.SteadyNow();
  const CallOutcome outcome = co_await questions.Ask(*question.webhook, *question.request);
  question.verdict =
      questions.Settle(*question.webhook, outcome, clock.SteadyNow() - began, {.index = question.index});
  co_return base::Gathering::Done();
}

}  // namespace

ValidatingAdmissionWebhook::ValidatingAdmissionWebhook(const WebhookParts& parts)
    : parts_(parts),
      metrics_(parts.metrics, "validating"),
      webhooks_(WebhookSet::Kind::kValidating,
                MakeBreakers(parts_, metrics_, WebhookSet::Kind::kValidating)) {}

Concern ValidatingAdmissionWebhook::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.validates = !IsExemptFromWebhooks(resource)};
}

base::Task<Verdict> ValidatingAdmissionWebhook::Validate(Attributes request) const {
  const auto compiled = CO_TRY(co_await webhooks_.Current(*parts_.objects));
  if (!compiled) co_return Verdict();
  Questions questions(request, parts_, metrics_, /*mutating=*/false);
  std::vector<Question> asked;
  for (const auto& configuration : compiled->configurations)
    for (const auto& webhook : configuration->webhooks)
      if (auto versioned = CO_TRY(co_await questions.ShouldAsk(*webhook)))
        asked.push_back({webhook.get(), asked.size(), std::move(versioned), {}});

  if (asked.size() == 1) {
    (void)co_await AskOne(questions, asked.front(), *parts_.clock);
    co_return asked.front().verdict;
  }
  // All are awaited, so that none is asked without being heard; the client is told of the first that refuses.
  base::Gathering answers;
  for (Question& question : asked) answers.Start(AskOne(questions, question, *parts_.clock));
  (void)co_await answers.Wait();  // what they found is in the questions
  for (const Question& question : asked)
    if (!question.verdict) co_return question.verdict;
  co_return Verdict();
}

}  // namespace keelson::admission
