#include "bootstrap/server_identity.h"

#include <gtest/gtest.h>

namespace keelson::bootstrap {
namespace {

// What kube-apiserver on a host of this name calls itself.
TEST(ServerIdentityTest, TheNameIsMadeOfTheHosts) {
  EXPECT_EQ(ServerIdOf("node-1"), "apiserver-lgabes5ywnaqeagh5dny4zlzs4");
}

}  // namespace
}  // namespace keelson::bootstrap
