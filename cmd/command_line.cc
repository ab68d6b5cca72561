#include "cmd/command_line.h"

#include <algorithm>
#include <utility>

#include "cmd/missing_flags.h"
#include "cmd/raw_flags.h"

namespace keelson::cmd {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// "-v" of "-v=4" and of "-v4".
std::string OptionName(const std::string& arg) {
  return arg.starts_with("--") ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
}

// pflag's "-v=4" is CLI11's "--v=4".
std::string Normalized(std::string arg) {
  if (arg.starts_with("-v=")) arg.insert(0, "-");
  if (arg.find('=') + 1 == arg.size()) arg += kEmptyValue;
  return arg;
}

}  // namespace

void CommandLine::Read(std::span<const std::string> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const bool value_follows = i + 1 < args.size() && !args[i + 1].starts_with('-');
    if (!arg.starts_with('-')) {
      errors.push_back("unexpected argument: " + arg);
    } else if (const CLI::Option* const option = cli_.get_option_no_throw(OptionName(arg))) {
      // pflag adds nothing to a list then.
      if (arg.find('=') + 1 == arg.size() &&
          option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll)
        continue;
      known.push_back(Normalized(arg));
      const bool takes_next = arg == OptionName(arg) && option->get_items_expected_max() > 0;
      if (takes_next && i + 1 < args.size()) known.push_back(args[++i]);
    } else {
      const bool next = ReadOther(arg, value_follows ? &args[i + 1] : nullptr);
      if (next) ++i;
    }
  }
}

// Whether `next`, the next argument if that may be a value, belongs to the flag.
bool CommandLine::ReadOther(const std::string& arg, const std::string* next) {
  std::string_view name = arg;
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  const size_t mark = name.find('=');
  const bool has_value = mark != std::string_view::npos;
  const std::string value(has_value ? name.substr(mark + 1) : "");
  name = name.substr(0, mark);
  const MissingFlag* const missing = arg.starts_with("--") ? FindMissingFlag(name) : nullptr;
  if (!missing) {
    errors.push_back("unknown flag: " + arg.substr(0, arg.find('=')) + ": " + Advice(name));
    return !has_value && next;
  }
  const bool boolean = missing->kind == MissingFlag::Kind::kBool;
  const bool takes_next = !has_value && !boolean && next;
  if (auto why = WhyRefused(*missing, has_value ? value : boolean ? "true" : takes_next ? *next : ""))
    errors.push_back(std::move(*why));
  return takes_next;
}

std::string CommandLine::Advice(std::string_view name) const {
  size_t least = std::min<size_t>(3, 1 + name.size() / 4);  // what differs in more is another word
  std::string nearest;
  for (const CLI::Option* const option : cli_.get_options()) {
    for (const std::string& known_name : option->get_lnames()) {
      const size_t distance = EditDistance(name, known_name);
      if (distance >= least) continue;
      least = distance;
      nearest = known_name;
    }
  }
  if (!nearest.empty()) return "did you mean --" + nearest + "?";
  return "neither kube-apiserver v1.36 nor keelson has it; keelson serve --help lists those there are";
}

}  // namespace keelson::cmd
