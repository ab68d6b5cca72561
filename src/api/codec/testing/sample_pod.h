// A typical pod as a client sends it, for benchmarks. Requires: KEELSON_CODEC_TESTDATA names
// src/api/codec/testdata.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace keelson::api {

inline const std::string& SamplePodJson() {
  static const std::string text = [] {
    std::ifstream in(KEELSON_CODEC_TESTDATA "/pod.json");
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }();
  return text;
}

}  // namespace keelson::api
