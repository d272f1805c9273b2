// Diagnostics of inputs, for people and their editors: lines on standard error of the form
//
//   pod.yaml:8:7: spec.containers[0].imagee: unknown field
//   pod.yaml:9:5: warning: spec.containers[0].imag: unknown field
//
// Errors and warnings of one document are collected and printed in the order of their places. Input
// can put nothing but printable text on the terminal, and no more than
// limits::kMaxConvertDiagnostics lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::cli {

class Diagnostics {
 public:
  // `source` names the input in what follows: a file, or <stdin>.
  void SetSource(std::string source) { source_ = std::move(source); }
  // Whether what follows is about YAML, where some faults have causes of their own.
  void SetInYaml(bool in_yaml) { in_yaml_ = in_yaml; }

  // To messages of decoders, which speak as an API server does, is added what to write instead.
  void Error(TextPosition position, std::string_view field, std::string_view message);
  void Warn(TextPosition position, std::string_view field, std::string_view message);
  void Error(const Status& status) { Error(status.position(), status.field(), status.message()); }

  // Prints what was collected.
  void Flush();
  // Says how many lines were left out, if any.
  void Finish();

  size_t error_count() const { return error_count_; }

 private:
  struct Line {
    TextPosition position;
    std::string text;
  };
  void Add(TextPosition position, std::string_view label, std::string_view field,
           std::string_view message);

  std::string source_;
  bool in_yaml_ = false;
  std::vector<Line> pending_;
  size_t printed_ = 0;
  size_t left_out_ = 0;
  size_t error_count_ = 0;
};

// Text from outside as it may appear on a terminal: control characters and bytes that are not
// UTF-8 are written as \xNN, and the middle of long text is left out.
std::string Printable(std::string_view text);

}  // namespace skiff::cli
