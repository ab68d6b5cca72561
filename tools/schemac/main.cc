// schemac: compiles schema/*.kschema into the constant tables and views of src/api/types.
//
//   schemac --out DIR [--all-described] a.kschema b.kschema ... a.txt ...
//
// A .txt file has the words of the schema of that name. With --all-described every schema needs one.
// A file is left alone when its content would not change, so that nothing is rebuilt.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "descriptions.h"
#include "emit.h"
#include "parser.h"
#include "resolve.h"

namespace {

bool ReadFile(const std::filesystem::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  text.assign(std::istreambuf_iterator<char>(in), {});
  return true;
}

bool WriteIfChanged(const std::filesystem::path& path, const std::string& text) {
  std::string old;
  if (ReadFile(path, old) && old == text) return true;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path out;
  schemac::Model model;
  schemac::Diagnostics diagnostics;
  auto undescribed = schemac::Undescribed::kAllowed;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--out" && i + 1 < argc) {
      out = argv[++i];
      continue;
    }
    if (arg == "--all-described") {
      undescribed = schemac::Undescribed::kRefused;
      continue;
    }
    std::string text;
    if (!ReadFile(arg, text)) {
      std::cerr << "schemac: cannot read " << arg << "\n";
      return 1;
    }
    const std::filesystem::path path(arg);
    if (path.extension() == ".txt")
      schemac::ParseDescriptions(path.stem().string(), arg, text, model, diagnostics);
    else
      schemac::Parse(path.stem().string(), arg, text, model, diagnostics);
  }
  if (out.empty() || model.files.empty()) {
    std::cerr << "usage: schemac --out DIR [--all-described] FILE.kschema... FILE.txt...\n";
    return 2;
  }
  schemac::Resolve(model, diagnostics);
  schemac::Describe(model, undescribed, diagnostics);
  for (const auto& error : diagnostics.errors()) std::cerr << error << "\n";
  if (!diagnostics.empty()) return 1;

  std::filesystem::create_directories(out);
  bool written = WriteIfChanged(out / "builtin.cc", schemac::EmitBuiltin(model)) &&
                 WriteIfChanged(out / "descriptions.cc", schemac::EmitDescriptions(model));
  for (const auto& file : model.files) {
    written = WriteIfChanged(out / (file.stem + ".h"), schemac::EmitViews(file)) &&
              WriteIfChanged(out / (file.stem + ".cc"), schemac::EmitTables(file)) && written;
  }
  if (!written) std::cerr << "schemac: cannot write to " << out << "\n";
  return written ? 0 : 1;
}
