// /statusz and /flagz: what runs here and how it was told to, as text for people, or as an object of
// config.k8s.io for those who ask for that.
#pragma once

#include <map>
#include <string>

#include "server/router.h"

namespace keelson::server {

// Lists what the router serves when it is asked. The router outlives it, as does everything in it.
void InstallStatusz(Router& router);

// `flags`: every flag of the command line, without its dashes, and its value.
void InstallFlagz(Router& router, std::map<std::string, std::string> flags);

}  // namespace keelson::server
