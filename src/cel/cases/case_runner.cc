#include "cel/cases/case_runner.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/read_file.h"
#include "cel/cases/case_form.h"
#include "cel/cases/device_case.h"
#include "cel/cases/eval_case.h"
#include "cel/cases/record_text.h"
#include "cel/cases/rule_case.h"
#include "cel/values/escape.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"

namespace skiff::cel {
namespace {

constexpr size_t kMaxCaseFileBytes = 64 * 1024 * 1024;
// Those that are the business of CEL alone.
constexpr std::string_view kKinds[] = {"eval", "crd", "dra", "escape", "unescape"};

}  // namespace

std::string RunEscapeCase(const object::Value& record) {
  const object::Value& expect = *record.Find("expect");
  const std::string_view name = Text(record, "name");
  const bool escape = Text(record, "kind") == "escape";
  const std::optional<std::string> result = escape ? EscapeName(name) : UnescapeName(name);
  const object::Value* ok = expect.Find("ok");
  const bool good = ok != nullptr && ok->AsBool();
  if (result.has_value() != good) return result ? "got " + *result : "got nothing";
  if (good && *result != Text(expect, escape ? "escaped" : "unescaped")) return "got " + *result;
  return {};
}

Result<void> CaseRunner::ReadContexts(const std::string& folder) {
  if (contexts_.contains(folder)) return {};
  Result<std::string> text = ReadFileUpTo(folder + "/contexts.json", kMaxCaseFileBytes);
  if (!text) {
    contexts_[folder] = std::make_shared<const object::Document>();
    return {};
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document document, object::DecodeJson(*text, nullptr));
  contexts_[folder] = std::make_shared<const object::Document>(std::move(document));
  return {};
}

Result<CaseCounts> CaseRunner::RunFile(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  SKIFF_RETURN_IF_ERROR(ReadContexts(folder));
  SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadFileUpTo(path, kMaxCaseFileBytes));
  CaseCounts counts;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    const Result<object::Document> document = object::DecodeJson(line, nullptr);
    if (!document && document.error().message() == object::kNestedTooDeeply) {
      ++counts.skipped;
    } else if (!document) {
      ++counts.failed;
      report_(path + ":" + std::to_string(number), document.error().ToString());
    } else {
      RunRecord(document->root(), contexts_[folder]->root(), path, number, counts);
    }
  }
  return counts;
}

void CaseRunner::RunRecord(const object::Value& record, const object::Value& contexts,
                           const std::string& path, size_t line, CaseCounts& counts) {
  const std::string_view id = Text(record, "id");
  const std::string_view kind = Text(record, "kind");
  const bool is_known = kind.empty() || std::ranges::find(kKinds, kind) != std::end(kKinds);
  if (expected_.contains(id) || !is_known) {
    ++counts.skipped;
    return;
  }
  const std::string_view use = Text(record, "use");
  const object::Value* context = use.empty() || !contexts.is_map() ? nullptr : contexts.Find(use);
  if (const std::string fault = FaultOfCase(record, context); !fault.empty()) {
    ++counts.failed;
    report_(path + ":" + std::to_string(line), "this is no case: " + fault);
    return;
  }
  const std::string difference = kind == "eval"  ? RunEvalCase(record, context)
                                 : kind == "crd" ? RunRuleCase(record)
                                 : kind == "dra" ? RunDeviceCase(record)
                                                 : RunEscapeCase(record);
  ++(difference.empty() ? counts.passed : counts.failed);
  if (!difference.empty()) report_(id, difference);
}

}  // namespace skiff::cel
