#include "apiserver/registry/core/probes.h"

#include <charconv>
#include <string>
#include <type_traits>

#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Those of Linux that are not numbered: SIGRTMIN+1 to 15 and SIGRTMAX-1 to 14 come on top.
constexpr std::string_view kLinuxSignals[] = {
    "SIGABRT",   "SIGALRM",  "SIGBUS",   "SIGCHLD",  "SIGCLD",  "SIGCONT",   "SIGFPE",  "SIGHUP",
    "SIGILL",    "SIGINT",   "SIGIO",    "SIGIOT",   "SIGKILL", "SIGPIPE",   "SIGPOLL", "SIGPROF",
    "SIGPWR",    "SIGQUIT",  "SIGRTMAX", "SIGRTMIN", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS",
    "SIGTERM",   "SIGTRAP",  "SIGTSTP",  "SIGTTIN",  "SIGTTOU", "SIGURG",    "SIGUSR1", "SIGUSR2",
    "SIGVTALRM", "SIGWINCH", "SIGXCPU",  "SIGXFSZ"};

bool IsNumbered(std::string_view signal, std::string_view base, int last) {
  if (!signal.starts_with(base) || signal.size() == base.size()) return false;
  const std::string_view digits = signal.substr(base.size());
  int number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && number >= 1 &&
         number <= last && digits.front() != '0';
}

bool IsLinuxSignal(std::string_view signal) {
  for (const std::string_view each : kLinuxSignals) {
    if (each == signal) return true;
  }
  return IsNumbered(signal, "SIGRTMIN+", 15) || IsNumbered(signal, "SIGRTMAX-", 14);
}

void ValidateHttpGet(const core::HTTPGetAction& action, FieldErrors& errors) {
  constexpr NameFormat kHeader{object::IsHttpHeaderName, object::CheckHttpHeaderName};
  ValidateRequired(action.path(), "path", errors);
  ValidatePort(action.port(), "port", errors);
  ValidateOneOf(action.scheme(), {"HTTP", "HTTPS"}, "scheme", errors);
  for (const core::HTTPHeader header : action.http_headers()) {
    ValidateFormat(kHeader, header.name(), "httpHeaders", errors);
  }
}

void ValidateSleep(const core::SleepAction& action, std::optional<int64_t> grace,
                   FieldErrors& errors) {
  if (!grace || (action.seconds() >= 0 && action.seconds() <= *grace)) return;
  errors.Invalid("", action.seconds(),
                 "must be non-negative and less than terminationGracePeriodSeconds (" +
                     std::to_string(*grace) + ")");
}

// Of a probe or a hook, at its place. The first handler counts, in this order; further ones are one
// too many.
template <typename Handler>
void ValidateHandler(const Handler& handler, std::optional<int64_t> grace, FieldErrors& errors) {
  bool found = false;
  const auto take = [&](std::string_view field, const auto& validate) {
    if (found) return errors.Forbidden(field, "may not specify more than 1 handler type");
    found = true;
    const auto at = errors.At(field);
    validate();
  };
  if (handler.has_exec()) {
    take("exec", [&] {
      if (handler.exec().command().empty()) errors.Required("command");
    });
  }
  if (handler.has_http_get()) take("httpGet", [&] { ValidateHttpGet(handler.http_get(), errors); });
  if (handler.has_tcp_socket()) {
    take("tcpSocket", [&] { ValidatePort(handler.tcp_socket().port(), "port", errors); });
  }
  if constexpr (std::is_same_v<Handler, core::Probe>) {
    if (handler.has_grpc()) {
      take("grpc", [&] { ValidatePortNumber(handler.grpc().port(), "port", errors); });
    }
  } else {
    const core::SleepAction pause(handler.AsValue()->Member(Handler::kSleep));
    if (handler.has_sleep()) take("sleep", [&] { ValidateSleep(pause, grace, errors); });
  }
  if (!found) errors.Required("", "must specify a handler type");
}

void ValidateProbe(const core::Probe& probe, FieldErrors& errors) {
  ValidateHandler(probe, std::nullopt, errors);
  ValidateNonNegative(probe.initial_delay_seconds(), "initialDelaySeconds", errors);
  ValidateNonNegative(probe.timeout_seconds(), "timeoutSeconds", errors);
  ValidateNonNegative(probe.period_seconds(), "periodSeconds", errors);
  ValidateNonNegative(probe.success_threshold(), "successThreshold", errors);
  ValidateNonNegative(probe.failure_threshold(), "failureThreshold", errors);
  const std::optional<int64_t> grace = probe.termination_grace_period_seconds();
  if (grace && *grace <= 0) {
    errors.Invalid("terminationGracePeriodSeconds", *grace, "must be greater than 0");
  }
}

void ValidateSuccessOnce(const core::Probe& probe, FieldErrors& errors) {
  if (probe.success_threshold() != 1) {
    errors.Invalid("successThreshold", probe.success_threshold(), "must be 1");
  }
}

void ValidateStopSignal(std::string_view signal, std::string_view os, FieldErrors& errors) {
  if (os.empty()) {
    errors.Forbidden("stopSignal", "may not be set for containers with empty `spec.os.name`");
  } else if (os == "windows") {
    ValidateOneOf(signal, {"SIGKILL", "SIGTERM"}, "stopSignal", errors);
  } else if (os == "linux" && !IsLinuxSignal(signal)) {
    errors.NotSupported("stopSignal", signal, kLinuxSignals);
  }
}

}  // namespace

void ValidatePort(const object::IntOrStringValue& port, std::string_view field,
                  FieldErrors& errors) {
  if (port.is_string) return ValidateFormat(kPortNameFormat, port.text, field, errors);
  ValidatePortNumber(port.number, field, errors);
}

void ValidateProbes(const core::Container& container, FieldErrors& errors) {
  if (container.has_liveness_probe()) {
    const auto at = errors.At("livenessProbe");
    ValidateProbe(container.liveness_probe(), errors);
    ValidateSuccessOnce(container.liveness_probe(), errors);
  }
  if (container.has_readiness_probe()) {
    const auto at = errors.At("readinessProbe");
    const core::Probe probe = container.readiness_probe();
    ValidateProbe(probe, errors);
    if (probe.termination_grace_period_seconds()) {
      errors.Invalid("terminationGracePeriodSeconds", *probe.termination_grace_period_seconds(),
                     "must not be set for readinessProbes");
    }
  }
  if (container.has_startup_probe()) {
    const auto at = errors.At("startupProbe");
    ValidateProbe(container.startup_probe(), errors);
    ValidateSuccessOnce(container.startup_probe(), errors);
  }
}

void ValidateLifecycle(const core::Lifecycle& lifecycle,
                       std::optional<int64_t> grace_period_seconds, std::string_view os,
                       FieldErrors& errors) {
  const auto at = errors.At("lifecycle");
  if (lifecycle.has_post_start()) {
    const auto hook = errors.At("postStart");
    ValidateHandler(lifecycle.post_start(), grace_period_seconds, errors);
  }
  if (lifecycle.has_pre_stop()) {
    const auto hook = errors.At("preStop");
    ValidateHandler(lifecycle.pre_stop(), grace_period_seconds, errors);
  }
  if (const auto signal = lifecycle.stop_signal()) ValidateStopSignal(*signal, os, errors);
}

}  // namespace skiff::apiserver
