// How often which kind of service account token is used.
#pragma once

#include "base/metrics.h"

namespace keelson::auth {

struct ServiceAccountMetrics {
  explicit ServiceAccountMetrics(base::Metrics& metrics)
      : legacy(metrics.GetCounter("serviceaccount_legacy_tokens_total",
                                  "Cumulative legacy service account tokens used")),
        stale(metrics.GetCounter("serviceaccount_stale_tokens_total",
                                 "Cumulative stale projected service account tokens used")),
        valid(metrics.GetCounter("serviceaccount_valid_tokens_total",
                                 "Cumulative valid projected service account tokens used")),
        manual(metrics.GetCounter("serviceaccount_legacy_manual_token_uses_total",
                                  "Cumulative manually created legacy tokens used")),
        automatic(metrics.GetCounter("serviceaccount_legacy_auto_token_uses_total",
                                     "Cumulative auto-generated legacy tokens used")),
        invalid(metrics.GetCounter("serviceaccount_invalid_legacy_auto_token_uses_total",
                                   "Cumulative invalid auto-generated legacy tokens used")) {}

  base::Counter& legacy;     // name no audience
  base::Counter& stale;      // should have been renewed by their client
  base::Counter& valid;      // have such a time, and it has not come
  base::Counter& manual;     // from a secret that somebody made for it
  base::Counter& automatic;  // from one that a controller made
  base::Counter& invalid;    // that one was marked as invalid
};

}  // namespace keelson::auth
