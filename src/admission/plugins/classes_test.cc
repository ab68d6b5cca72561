#include <gtest/gtest.h>

#include "admission/plugins/default_ingress_class.h"
#include "admission/plugins/default_storage_class.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"
#include "api/generated/networking_v1.h"

namespace keelson::admission {
namespace {

std::string Class(std::string_view name, std::string_view annotation, int year) {
  return R"({"metadata":{"name":")" + std::string(name) + R"(","creationTimestamp":")" +
         std::to_string(year) + R"(-01-01T00:00:00Z","annotations":{")" + std::string(annotation) +
         R"(":"true"}}})";
}

class DefaultStorageClassTest : public testing::Test {
 protected:
  std::string ClassGiven(std::string_view claim) {
    Write write("", "persistentvolumeclaims", claim);
    EXPECT_TRUE(write.Mutate(DefaultStorageClass(objects_)));
    const auto spec = api::core_v1::PersistentVolumeClaimView(write.object()).spec();
    return spec.has_storage_class_name() ? std::string(spec.storage_class_name()) : "(none)";
  }
  void Add(std::string_view name, std::string_view annotation, int year) {
    objects_.Add("storage.k8s.io", "storageclasses", Class(name, annotation, year));
  }

  FakeObjects objects_;
};

TEST_F(DefaultStorageClassTest, WithoutADefaultAClaimStaysAsItIs) {
  Add("other", "example.com/a", 2020);
  EXPECT_EQ(ClassGiven(R"({"metadata":{"name":"c"}})"), "(none)");
}

TEST_F(DefaultStorageClassTest, TheNewestDefaultIsTakenAndThenTheFirstByName) {
  Add("old", "storageclass.beta.kubernetes.io/is-default-class", 2020);
  Add("b", "storageclass.kubernetes.io/is-default-class", 2021);
  Add("a", "storageclass.kubernetes.io/is-default-class", 2021);
  EXPECT_EQ(ClassGiven(R"({"metadata":{"name":"c"}})"), "a");
}

TEST_F(DefaultStorageClassTest, AClaimThatChoseKeepsItsChoice) {
  Add("a", "storageclass.kubernetes.io/is-default-class", 2021);
  EXPECT_EQ(ClassGiven(R"({"metadata":{"name":"c"},"spec":{"storageClassName":""}})"), "");
  EXPECT_EQ(ClassGiven(
                R"({"metadata":{"name":"c","annotations":{"volume.beta.kubernetes.io/storage-class":"x"}}})"),
            "(none)");
}

TEST(DefaultIngressClassTest, AnIngressWithoutAClassGetsTheDefault) {
  FakeObjects objects;
  objects.Add("networking.k8s.io", "ingressclasses",
              Class("main", "ingressclass.kubernetes.io/is-default-class", 2021));
  const auto given = [&](std::string_view json) {
    Write write("networking.k8s.io", "ingresses", json);
    EXPECT_TRUE(write.Mutate(DefaultIngressClass(objects)));
    return std::string(api::networking_v1::IngressView(write.object()).spec().ingress_class_name());
  };
  EXPECT_EQ(given(R"({"metadata":{"name":"i"}})"), "main");
  EXPECT_EQ(given(R"({"metadata":{"name":"i"},"spec":{"ingressClassName":"own"}})"), "own");
  EXPECT_EQ(given(R"({"metadata":{"name":"i","annotations":{"kubernetes.io/ingress.class":"x"}}})"), "");
}

}  // namespace
}  // namespace keelson::admission
