#include "cli/common/flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "base/suggest.h"
#include "object/scalar/quantity.h"

namespace skiff::cli {
namespace {

constexpr size_t kHelpColumns = 80;
// Flags wider than this get their help on the next line.
constexpr size_t kWidestForms = 30;

std::string JoinWords(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

// "json, yaml or protobuf"
std::string ListChoices(const std::vector<std::string>& words) {
  if (words.size() < 2) return JoinWords(words, "");
  const std::vector<std::string> head(words.begin(), words.end() - 1);
  return JoinWords(head, ", ") + " or " + words.back();
}

std::unexpected<Status> NotAmong(std::string_view given, const std::vector<std::string>& choices) {
  const std::vector<std::string_view> names(choices.begin(), choices.end());
  return BadRequest(Quoted(given) + " is not one of " + ListChoices(choices) +
                    DidYouMean(given, names));
}

}  // namespace

FlagValue Switch(bool* target) {
  FlagValue value;
  value.is_switch = true;
  value.set = [target](std::string_view text) -> Result<void> {
    static constexpr std::array<std::string_view, 6> kTrue{"true", "1", "t", "T", "TRUE", "True"};
    static constexpr std::array<std::string_view, 6> kFalse{"false", "0",     "f",
                                                            "F",     "FALSE", "False"};
    const bool is_true = std::ranges::find(kTrue, text) != kTrue.end();
    if (!is_true && std::ranges::find(kFalse, text) == kFalse.end()) {
      return BadRequest(Quoted(text) + " is neither true nor false");
    }
    *target = is_true;
    return {};
  };
  return value;
}

FlagValue Text(std::string* target) {
  FlagValue value;
  value.default_text = *target;
  value.set = [target](std::string_view text) -> Result<void> {
    *target = text;
    return {};
  };
  return value;
}

FlagValue ByteCount(size_t* target) {
  FlagValue value;
  value.default_text = std::to_string(*target);
  for (const auto& [unit, suffix] :
       {std::pair(size_t{1} << 30, "Gi"), {size_t{1} << 20, "Mi"}, {size_t{1} << 10, "Ki"}}) {
    if (*target == 0 || *target % unit != 0) continue;
    value.default_text = std::to_string(*target / unit) + suffix;
    break;
  }
  value.set = [target](std::string_view text) -> Result<void> {
    Result<object::Quantity> quantity = object::Quantity::Parse(text);
    if (!quantity) return std::unexpected(std::move(quantity).error());
    if (quantity->Sign() <= 0) return BadRequest(Quoted(text) + " is not a positive number");
    *target = static_cast<size_t>(quantity->Value());
    return {};
  };
  return value;
}

FlagValue WholeNumber(int64_t* target, int64_t min) {
  FlagValue value;
  value.default_text = std::to_string(*target);
  value.set = [target, min](std::string_view text) -> Result<void> {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
      return BadRequest(Quoted(text) + " is not a whole number");
    }
    if (number < min) return BadRequest(Quoted(text) + " is less than " + std::to_string(min));
    *target = number;
    return {};
  };
  return value;
}

FlagValue TextList(std::vector<std::string>* target) {
  FlagValue value;
  value.default_text = JoinWords(*target, ",");
  value.set = [target](std::string_view text) -> Result<void> {
    target->clear();
    while (true) {
      const size_t comma = text.find(',');
      const std::string_view word = TrimSpace(text.substr(0, comma));
      if (word.empty()) return BadRequest("a name between the commas is empty");
      target->emplace_back(word);
      if (comma == std::string_view::npos) return {};
      text.remove_prefix(comma + 1);
    }
  };
  return value;
}

FlagValue OneOfNames(std::vector<std::string> names, std::string default_name,
                     std::function<void(size_t index)> set) {
  FlagValue value;
  value.choices = names;
  value.default_text = std::move(default_name);
  value.set = [names = std::move(names),
               set = std::move(set)](std::string_view text) -> Result<void> {
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) return NotAmong(text, names);
    set(static_cast<size_t>(found - names.begin()));
    return {};
  };
  return value;
}

Result<void> FlagSet::Parse(std::span<const std::string_view> words) {
  given_.assign(flags_.size(), false);
  if (arguments_.target != nullptr) arguments_.target->clear();
  bool flags_ended = false;
  while (!words.empty()) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (flags_ended || word.size() < 2 || word[0] != '-') {
      SKIFF_RETURN_IF_ERROR(TakeArgument(word));
    } else if (word == "--") {
      flags_ended = true;
    } else if (word[1] == '-') {
      SKIFF_RETURN_IF_ERROR(ParseLong(word.substr(2), words));
    } else {
      SKIFF_RETURN_IF_ERROR(ParseLetters(word.substr(1), words));
    }
  }
  return {};
}

Result<void> FlagSet::ParseLong(std::string_view word, std::span<const std::string_view>& rest) {
  const size_t equals = word.find('=');
  std::string name(word.substr(0, equals));
  if (underscores_are_dashes_) std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  if (found == flags_.end()) return Unknown(name);
  const auto index = static_cast<size_t>(found - flags_.begin());
  const std::string shown = "--" + found->name;
  if (equals != std::string_view::npos) return Set(index, shown, word.substr(equals + 1));
  if (found->value.is_switch) return Set(index, shown, "true");
  if (rest.empty()) return BadRequest(shown + " needs a value: " + FlagForms(*found));
  const std::string_view value = rest.front();
  rest = rest.subspan(1);
  return Set(index, shown, value);
}

Result<void> FlagSet::ParseLetters(std::string_view word, std::span<const std::string_view>& rest) {
  while (!word.empty()) {
    const char letter = word[0];
    word.remove_prefix(1);
    const auto found = std::ranges::find(flags_, letter, &Flag::letter);
    const std::string shown{'-', letter};
    if (letter == 0 || found == flags_.end()) return BadRequest("unknown flag " + Quoted(shown));
    const auto index = static_cast<size_t>(found - flags_.begin());
    const bool has_value = word.starts_with('=');
    if (found->value.is_switch && !has_value) {
      SKIFF_RETURN_IF_ERROR(Set(index, shown, "true"));
      continue;
    }
    if (!word.empty()) return Set(index, shown, word.substr(has_value ? 1 : 0));
    if (rest.empty()) return BadRequest(shown + " needs a value: " + FlagForms(*found));
    const std::string_view value = rest.front();
    rest = rest.subspan(1);
    return Set(index, shown, value);
  }
  return {};
}

Result<void> FlagSet::Set(size_t index, std::string_view shown, std::string_view value) {
  Result<void> done = flags_[index].value.set(value);
  if (!done) return BadRequest(std::string(shown) + ": " + done.error().message());
  given_[index] = true;
  return {};
}

Result<void> FlagSet::TakeArgument(std::string_view word) {
  if (arguments_.max == 0) return BadRequest("unexpected argument " + Quoted(word));
  if (arguments_.target->size() >= arguments_.max) {
    return BadRequest("unexpected argument " + Quoted(word) + ": at most " +
                      std::to_string(arguments_.max) + " " + arguments_.placeholder +
                      " can be given");
  }
  if (!arguments_.choices.empty() &&
      std::ranges::find(arguments_.choices, word) == arguments_.choices.end()) {
    return NotAmong(word, arguments_.choices);
  }
  arguments_.target->emplace_back(word);
  return {};
}

Result<void> FlagSet::CheckComplete() const {
  for (size_t i = 0; i < flags_.size(); ++i) {
    if (!flags_[i].required || given_[i]) continue;
    std::string message = "--" + flags_[i].name + " is missing";
    if (!flags_[i].value.choices.empty()) {
      message += ": " + ListChoices(flags_[i].value.choices);
    }
    return BadRequest(std::move(message));
  }
  if (arguments_.target != nullptr && arguments_.target->size() < arguments_.min) {
    std::string message = arguments_.placeholder + " is missing";
    if (!arguments_.choices.empty()) message += ": " + ListChoices(arguments_.choices);
    return BadRequest(std::move(message));
  }
  return {};
}

std::unexpected<Status> FlagSet::Unknown(std::string_view name) const {
  std::vector<std::string> shown;
  for (const Flag& flag : flags_) {
    if (!flag.hidden) shown.push_back("--" + flag.name);
  }
  const std::vector<std::string_view> names(shown.begin(), shown.end());
  const std::string given = "--" + std::string(name);
  return BadRequest("unknown flag " + Quoted(given) + DidYouMean(given, names));
}

std::string FlagSet::Synopsis() const {
  std::string out;
  const auto add = [&out](const std::string& word) {
    if (!out.empty()) out += ' ';
    out += word;
  };
  for (const Flag& flag : flags_) {
    if (flag.required) add("--" + flag.name + " " + flag.placeholder);
  }
  if (std::ranges::any_of(flags_, [](const Flag& flag) { return !flag.required; })) add("[flags]");
  if (arguments_.max != 0) {
    const std::string word = arguments_.placeholder + (arguments_.max > 1 ? "..." : "");
    add(arguments_.min != 0 ? word : "[" + word + "]");
  }
  return out;
}

std::string FlagSet::HelpText() const {
  size_t widest = 0;
  for (const Flag& flag : flags_) {
    const size_t width = FlagForms(flag).size();
    if (width <= kWidestForms) widest = std::max(widest, width);
  }
  const size_t indent = widest + 4;
  std::string out;
  std::string_view section;
  for (const Flag& flag : flags_) {
    if (flag.hidden) continue;
    if (flag.section != section) {
      section = flag.section;
      out += (out.empty() ? "" : "\n") + flag.section + ":\n\n";
    }
    const std::string forms = FlagForms(flag);
    out += "  " + forms;
    if (forms.size() <= widest) {
      out += std::string(indent - 2 - forms.size(), ' ');
    } else {
      out += '\n' + std::string(indent, ' ');
    }
    out += WrapText(FlagDescription(flag), kHelpColumns - indent, indent) + '\n';
  }
  return out;
}

std::string FlagForms(const Flag& flag) {
  std::string out = flag.letter != 0 ? std::string{'-', flag.letter} + ", --" : "    --";
  out += flag.name;
  if (!flag.value.is_switch) out += ' ' + flag.placeholder;
  return out;
}

std::string FlagDescription(const Flag& flag) {
  std::string out = flag.help;
  if (!flag.value.choices.empty()) out += ": " + ListChoices(flag.value.choices);
  if (flag.required) out += " (required)";
  if (!flag.value.default_text.empty()) out += " (default " + flag.value.default_text + ")";
  return out;
}

std::string WrapText(std::string_view text, size_t width, size_t indent) {
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    const size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    if (column != 0 && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = 0;
    }
    if (column != 0) out += ' ';
    out += word;
    column += word.size() + (column != 0 ? 1 : 0);
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') {
      out += '\n' + std::string(indent, ' ');
      column = 0;
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace skiff::cli
