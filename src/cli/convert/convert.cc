#include "cli/convert/convert.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/strings.h"
#include "cli/common/diagnostics.h"
#include "cli/common/input.h"
#include "cli/common/output.h"
#include "cli/convert/object_check.h"
#include "cli/convert/object_reader.h"
#include "cli/convert/removed_fields.h"
#include "object/json/encode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/envelope.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/yaml/emit.h"

namespace skiff::cli {
namespace {

constexpr int kIndent = 2;
constexpr size_t kAnyNumber = SIZE_MAX;

struct ConvertOptions {
  ObjectFormat to = ObjectFormat::kAuto;
  ObjectFormat from = ObjectFormat::kAuto;
  std::string output;
  bool compact = false;
  bool pretty = false;
  Validation validation = Validation::kStrict;
  size_t max_document_bytes = limits::kConvertDocumentBytes;
  std::vector<std::string> files;
};

constexpr FlagChoice<ObjectFormat> kOutputFormats[] = {{"json", ObjectFormat::kJson},
                                                       {"yaml", ObjectFormat::kYaml},
                                                       {"protobuf", ObjectFormat::kProtobuf}};
constexpr FlagChoice<ObjectFormat> kInputFormats[] = {{"auto", ObjectFormat::kAuto},
                                                      {"json", ObjectFormat::kJson},
                                                      {"yaml", ObjectFormat::kYaml},
                                                      {"protobuf", ObjectFormat::kProtobuf}};
constexpr FlagChoice<Validation> kValidations[] = {
    {"strict", Validation::kStrict}, {"warn", Validation::kWarn}, {"ignore", Validation::kIgnore}};

// Binary input has no lines.
class NoPositions : public object::TextPositions {
 public:
  TextPosition PositionOf(size_t) const override { return {}; }
};

// Turns objects, one at a time, into the text or bytes of the output.
class Converter {
 public:
  explicit Converter(const ConvertOptions& options) : options_(options) {}

  size_t object_count() const { return object_count_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  HeldOutput& output() { return output_; }

  void ConvertInput(std::string_view bytes) {
    ObjectFormat format = options_.from;
    if (format == ObjectFormat::kAuto && object::HasProtobufPrefix(bytes))
      format = ObjectFormat::kProtobuf;
    if (format == ObjectFormat::kProtobuf) {
      ++object_count_;
      ConvertStored(bytes);
    } else if (const std::string hint = HintOnStoredText(bytes); !hint.empty()) {
      diagnostics_.Error({}, "", hint);
    } else {
      ConvertText(bytes, format);
    }
    diagnostics_.Flush();
    diagnostics_.SetInYaml(false);
  }

 private:
  void ConvertText(std::string_view text, ObjectFormat format) {
    ObjectReader reader(text, format, options_.max_document_bytes);
    while (true) {
      Result<std::optional<ObjectReader::Object>> next = reader.Next();
      if (!next) return Fail(next.error(), HintOnTemplate(text, next.error().position().line));
      if (!next->has_value()) return;
      diagnostics_.SetInYaml((*next)->from_yaml);
      ++object_count_;
      ConvertJson(**next);
      // Behind what is fatal, because of too many diagnostics the last are left out.
      ReportIssues(diagnostics_, options_.validation, (*next)->issues);
      diagnostics_.Flush();
    }
  }

  void ConvertJson(const ObjectReader::Object& object) {
    const Result<ObjectHeader> header = ReadObjectHeader(object.json, *object.positions);
    if (!header) return Fail(header.error());
    const size_t errors_before = diagnostics_.error_count();
    const object::MessageDesc* type =
        header->is_watch_event
            ? &WatchEventType()
            : ResolveKind(*header, *object.positions, "", options_.validation, diagnostics_);
    if (diagnostics_.error_count() != errors_before) return;  // no such kind: no more to be said
    std::vector<object::FieldIssue> issues;
    const object::DecodeOptions decode{.issues = &issues,
                                       .positions = object.positions,
                                       .max_bytes = kAnyNumber,
                                       .borrow_text = true};
    ByteBuffer out;
    if (options_.to == ObjectFormat::kProtobuf) {
      if (!HasProtobufForm(type, *header, *object.positions)) return;
      const Result<void> stored = header->is_watch_event
                                      ? EventToStorage(object.json, out, decode)
                                      : object::JsonToStorage(object.json, out, decode);
      if (!stored) Fail(stored.error());
      ReportIssues(diagnostics_, options_.validation, issues);
      if (!stored) return;
    } else {
      const Result<object::Document> document = object::DecodeJson(object.json, type, decode);
      if (!document) Fail(document.error());
      ReportIssues(diagnostics_, options_.validation, issues);
      if (!document) return;
      AppendText(document->root(), out);
    }
    if (header->is_watch_event) {
      CheckWatchedObject(object.json, *object.positions, options_.validation, diagnostics_);
    } else if (type != nullptr && HasRawItems(*type)) {
      CheckRawItems(object.json, *object.positions, options_.validation, diagnostics_);
    }
    Emit(out.view());
  }

  // The envelope of an event names no kind.
  static Result<void> EventToStorage(std::string_view json, ByteBuffer& out,
                                     const object::DecodeOptions& decode) {
    ByteBuffer message;
    SKIFF_RETURN_IF_ERROR(object::JsonToProtobuf(json, WatchEventType(), message, decode));
    std::string envelope;
    object::AppendProtobufEnvelope({.raw = message.view()}, &envelope);
    out.Append(envelope);
    return {};
  }

  // Numbers of protobuf fields that had a name once are told by it.
  void ReportStoredIssues(const std::vector<object::FieldIssue>& issues,
                          const object::MessageDesc& type) {
    for (const object::FieldIssue& issue : issues) {
      const std::string name = NameRemovedField(type, issue.path);
      std::string what = name.empty() ? "unknown field" : "a field that Kubernetes no longer has";
      if (options_.validation == Validation::kStrict) what += "; --validate ignore drops it";
      Report(diagnostics_, options_.validation, issue.position, name.empty() ? issue.path : name,
             what);
    }
  }

  // A kind, or a watch event if the envelope names none.
  static Result<object::Document> DecodeStored(std::string_view bytes,
                                               const object::ProtobufDecodeOptions& options) {
    SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                           object::OpenProtobufEnvelope(bytes));
    const bool is_event = envelope.kind.empty() && envelope.api_version.empty() &&
                          envelope.content_encoding.empty() && !envelope.raw.empty();
    return is_event ? object::DecodeProtobuf(envelope.raw, &WatchEventType(), options)
                    : object::DecodeStorage(bytes, options);
  }

  // What is in etcd. etcdctl ends its output with a line break, which no envelope does.
  void ConvertStored(std::string_view bytes) {
    if (bytes.ends_with('\n') && !object::OpenProtobufEnvelope(bytes)) bytes.remove_suffix(1);
    std::vector<object::FieldIssue> issues;
    const Result<object::Document> document =
        DecodeStored(bytes, {.max_bytes = options_.max_document_bytes,
                             .issues = &issues,
                             .kind = {},
                             .api_version = {}});
    if (!document) {
      ReportIssues(diagnostics_, options_.validation, issues);
      return Fail(document.error());
    }
    ReportStoredIssues(issues, *document->type());
    const bool is_event = document->type() == &WatchEventType();
    ByteBuffer json;
    if (is_event || HasRawItems(*document->type())) object::EncodeJson(document->root(), json);
    if (is_event) {
      CheckWatchedObject(json.view(), NoPositions(), options_.validation, diagnostics_);
    } else if (!json.empty()) {
      CheckRawItems(json.view(), NoPositions(), options_.validation, diagnostics_);
    }
    ByteBuffer out;
    if (options_.to == ObjectFormat::kProtobuf) {
      if (is_event) {
        if (const auto made = EventToStorage(json.view(), out, {.max_bytes = kAnyNumber}); !made)
          return Fail(made.error());
      } else {
        std::string stored;
        object::EncodeStorage(document->root(), &stored);
        out.Append(stored);
      }
    } else {
      AppendText(document->root(), out);
    }
    Emit(out.view());
  }

  bool HasProtobufForm(const object::MessageDesc* type, const ObjectHeader& header,
                       const object::TextPositions& positions) {
    if (type != nullptr && type->in_protobuf) return true;
    const std::string what = header.meta.api_version + " " + header.meta.kind;
    diagnostics_.Error(
        positions.PositionOf(header.kind_offset), "kind",
        Printable(what) + (type != nullptr ? " has no protobuf form"
                                           : " is not built in, and custom resources have no "
                                             "protobuf form; etcd holds them as JSON"));
    return false;
  }

  // The object as JSON or YAML, a whole number of lines.
  void AppendText(const object::Value& object, ByteBuffer& out) {
    if (options_.to == ObjectFormat::kYaml && !object.is_object())
      return object::AppendYaml(out, object);
    ByteBuffer json;
    object::EncodeJson(object, json);
    if (options_.to == ObjectFormat::kYaml) {
      // YAML shows the JSON form, so it is made from that: our own text always decodes.
      const Result<object::Document> untyped =
          object::DecodeJson(json.view(), nullptr, {.max_bytes = kAnyNumber, .borrow_text = true});
      if (!untyped) return Fail(untyped.error());
      return object::AppendYaml(out, untyped->root());
    }
    if (options_.compact) {
      out.Append(json.view());
    } else {
      object::AppendPrettyJson(out, json.view(), kIndent);
    }
    out.Append('\n');
  }

  void Emit(std::string_view object) {
    // After an error nothing will be written, so nothing needs to be kept.
    if (diagnostics_.error_count() != 0) return;
    if (options_.to == ObjectFormat::kProtobuf && emitted_ != 0) {
      ++emitted_;
      return;
    }
    Result<void> kept;
    if (options_.to == ObjectFormat::kYaml && emitted_ != 0) kept = output_.Append("---\n");
    if (kept) kept = output_.Append(object);
    if (!kept) Fail(kept.error());
    ++emitted_;
  }

  void Fail(const Status& status, std::string_view hint = {}) {
    std::string message = status.message();
    message += hint;
    if (status.reason() == StatusReason::kRequestEntityTooLarge) {
      message += "; --max-document-size changes it";
    }
    diagnostics_.Error(status.position(), status.field(), message);
  }

  const ConvertOptions& options_;
  Diagnostics diagnostics_;
  HeldOutput output_;
  size_t object_count_ = 0;
  size_t emitted_ = 0;
};

class ConvertRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override;
  Result<void> Check() override;
  int Run() override;

 private:
  ConvertOptions options_;
};

void ConvertRun::Declare(FlagSet& flags) {
  flags.Add({.name = "to",
             .placeholder = "FORMAT",
             .help = "write this format",
             .required = true,
             .value = OneOf(&options_.to, kOutputFormats)});
  flags.Add({.name = "from",
             .placeholder = "FORMAT",
             .help = "read this format",
             .value = OneOf(&options_.from, kInputFormats)});
  flags.Add({.name = "output",
             .letter = 'o',
             .placeholder = "FILE",
             .help = "write to this file instead of standard output",
             .completes = Completes::kFiles,
             .value = Text(&options_.output)});
  flags.Add({.name = "compact",
             .help = "JSON: each object on one line",
             .value = Switch(&options_.compact)});
  flags.Add({.name = "pretty",
             .help = "JSON: indented by two spaces, as kubectl prints it; the default",
             .value = Switch(&options_.pretty)});
  flags.Add({.name = "validate",
             .placeholder = "MODE",
             .help = "what to do about unknown fields, duplicate fields and kinds that do not "
                     "exist (warn and ignore drop such fields)",
             .value = OneOf(&options_.validation, kValidations)});
  flags.Add({.name = "max-document-size",
             .placeholder = "BYTES",
             .help = "refuse objects longer than this",
             .value = ByteCount(&options_.max_document_bytes)});
  flags.Take({.placeholder = "FILE",
              .max = kAnyNumber,
              .completes = Completes::kFiles,
              .target = &options_.files});
}

Result<void> ConvertRun::Check() {
  if (options_.compact && options_.pretty) {
    return BadRequest("--compact and --pretty exclude each other");
  }
  if ((options_.compact || options_.pretty) && options_.to != ObjectFormat::kJson) {
    return BadRequest("--compact and --pretty are for --to json");
  }
  if (options_.max_document_bytes > limits::kMaxConvertDocumentBytes) {
    return BadRequest("--max-document-size: more than 1Gi is not possible");
  }
  if (std::ranges::count(options_.files, "") != 0) return BadRequest("the name of a FILE is empty");
  if (std::ranges::count(options_.files, kStandardInput) > 1) {
    return BadRequest("standard input (-) can be read only once");
  }
  if (options_.to == ObjectFormat::kProtobuf && options_.output.empty() && isatty(STDOUT_FILENO)) {
    return BadRequest(
        "protobuf is binary and would garble the terminal; name a file with -o, or "
        "insist with -o -");
  }
  return {};
}

int ConvertRun::Run() {
  if (options_.files.empty()) options_.files.emplace_back(kStandardInput);
  Converter converter(options_);
  Diagnostics& diagnostics = converter.diagnostics();
  for (const std::string& file : options_.files) {
    diagnostics.SetSource(file == kStandardInput ? "<stdin>" : file);
    Result<std::string> bytes = ReadInput(file);
    if (bytes) {
      converter.ConvertInput(*bytes);
    } else {
      diagnostics.Error(bytes.error());
      diagnostics.Flush();
    }
  }
  diagnostics.SetSource("skiff convert");
  if (diagnostics.error_count() == 0 && converter.object_count() == 0) {
    diagnostics.Error({}, "", "there is no object in the input");
  }
  if (diagnostics.error_count() == 0 && options_.to == ObjectFormat::kProtobuf &&
      converter.object_count() > 1) {
    diagnostics.Error({}, "",
                      "a protobuf file holds one object, and the input has " +
                          std::to_string(converter.object_count()) +
                          "; convert them one by one, or put them into a v1 List");
  }
  if (diagnostics.error_count() == 0) {
    const Result<void> written = converter.output().CommitTo(options_.output);
    if (!written) diagnostics.Error(written.error());
  }
  diagnostics.Finish();
  return diagnostics.error_count() == 0 ? kExitSuccess : kExitFailure;
}

}  // namespace

std::unique_ptr<CommandRun> MakeConvert() { return std::make_unique<ConvertRun>(); }

}  // namespace skiff::cli
