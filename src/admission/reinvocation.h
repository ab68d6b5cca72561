// Reinvocation: how plug-ins that can be told so are asked a second time about an object that others have
// changed since. The chain makes a second round if one of them asks for it, and never a third.
#pragma once

#include <set>
#include <string>

#include "api/types/doc.h"

namespace keelson::admission {

// AskedOnce: the policies, or the webhooks, that have been asked about an object and want to be asked again
// when it changes after that.
class AskedOnce {
 public:
  // Before anybody is asked in the second round: has something changed since the first?
  void BeginSecondRound(const api::Doc* object) {
    if (!asked_.empty() && !(object && last_ && api::Equal(last_.root(), object->root()))) Changed();
  }
  // Whether somebody is to be asked in the second round.
  bool AsksAgain(const std::string& key) const { return again_.contains(key); }
  // The object was changed: whoever was asked before and wants to be asked again is.
  void Changed() {
    again_.merge(asked_);
    asked_.clear();
  }
  // Somebody who wants to be asked again was asked.
  void Asked(const std::string& key) { asked_.insert(key); }
  // After the last was asked.
  void EndRound(const api::Doc* object) {
    if (!asked_.empty() && object) last_ = object->Clone();
  }

 private:
  api::Doc last_;
  std::set<std::string> asked_, again_;
};

// Belongs to one request.
class Reinvocation {
 public:
  bool second_round() const { return second_; }
  void WantSecondRound() { wanted_ = true; }
  // Asked by the chain, once.
  bool BeginSecondRound() { return second_ = wanted_; }

  AskedOnce policies, webhooks;

 private:
  bool wanted_ = false, second_ = false;
};

}  // namespace keelson::admission
