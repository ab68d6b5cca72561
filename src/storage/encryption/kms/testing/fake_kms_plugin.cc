// fake_kms_plugin SOCKET: a FakePlugin as a program. Lines on its input steer it: "key ID", "healthz TEXT",
// "refuse", "accept"; each is answered with "done". It ends with its input.
#include <iostream>
#include <string>

#include "storage/encryption/kms/testing/fake_plugin.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  keelson::storage::encryption::kms::FakePlugin plugin(argv[1]);
  std::cout << "ready" << '\n' << std::flush;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string word = line.substr(0, line.find(' '));
    const std::string rest = line.substr(std::min(line.size(), word.size() + 1));
    if (word == "key") plugin.SetKeyId(rest);
    if (word == "healthz") plugin.SetHealthz(rest);
    if (word == "refuse") plugin.RefuseDecrypt(true);
    if (word == "accept") plugin.RefuseDecrypt(false);
    std::cout << "done" << '\n' << std::flush;
  }
}
