#include "cel/cost_call.h"

#include <array>
#include <cmath>

#include "cel/cost_range.h"
#include "cel/opaque.h"

namespace skiff::cel {
namespace {

constexpr double kString = 0.1;
constexpr double kRegex = 0.25;
constexpr double kListCost = 10;
constexpr uint64_t kMaxAttributeValues = 48;  // of an attribute of a device
constexpr uint64_t kMaxFormatSize = 64;
constexpr uint64_t kMaxFormatRegexSize = 128;

bool OneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class Library {
 public:
  Library(std::string_view function, std::string_view overload, const CostArgument* target,
          std::span<const CostArgument> args, const SizeSource* sizes)
      : function_(function), overload_(overload), target_(target), args_(args), sizes_(sizes) {}

  std::optional<CallEstimate> Run() const {
    if (std::optional<CallEstimate> lists = ListCall()) return lists;
    if (overload_ == "dra_includes_dyn_dyn") return Cost(CostRange{0, kMaxAttributeValues});
    if (function_ == "check") return Cost(Exactly(350'000));
    if (OneOf(function_, {"fieldSelector", "labelSelector"}) && args_.size() == 1) {
      const SizeRange size = Size(args_[0]);
      return Cost(Exactly(10) + size * kString + (size * 0.5) * 50.0);
    }
    if (OneOf(function_, {"serviceAccount",
                          "path",
                          "group",
                          "resource",
                          "subresource",
                          "namespace",
                          "name",
                          "allowed",
                          "reason",
                          "error",
                          "errored",
                          "masked",
                          "prefixLength",
                          "family",
                          "isUnspecified",
                          "isLoopback",
                          "isLinkLocalMulticast",
                          "isLinkLocalUnicast",
                          "isGlobalUnicast",
                          "format.named",
                          "sign",
                          "asInteger",
                          "isInteger",
                          "asApproximateFloat",
                          "isGreaterThan",
                          "isLessThan",
                          "compareTo",
                          "add",
                          "sub",
                          "major",
                          "minor",
                          "patch",
                          "getScheme",
                          "getHostname",
                          "getHost",
                          "getPort",
                          "getEscapedPath",
                          "getQuery"})) {
      return Cost(Exactly(1));
    }
    if (std::optional<CallEstimate> text = TextCall()) return text;
    if (std::optional<CallEstimate> network = NetworkCall()) return network;
    if (function_ == "_==_" && args_.size() == 2) return Equality();
    return {};
  }

 private:
  static CallEstimate Cost(const CostRange& cost) { return {cost, {}}; }
  SizeRange Size(const CostArgument& argument) const {
    if (argument.size) return *argument.size;
    return PathSize(argument.path);
  }
  SizeRange PathSize(std::span<const std::string> path) const {
    if (sizes_ != nullptr) {
      if (const std::optional<SizeRange> size = sizes_->SizeOf(path)) return *size;
    }
    return kUnknownSize;
  }
  // Of the items of a list; nothing if it is none.
  struct Items {
    const Type* type;
    SizeRange size;
  };
  std::optional<Items> ItemsOf(const CostArgument& list) const {
    if (list.type->params.empty()) return {};
    std::vector<std::string> path = list.path;
    if (!path.empty()) path.emplace_back("@items");
    return Items{list.type->params[0], PathSize(path)};
  }

  // ---- Lists and sets, by overload.
  std::optional<CallEstimate> ListCall() const {
    if (overload_.starts_with("list_sets_") && args_.size() == 2) {
      const double factor = overload_ == "list_sets_equivalent_list" ? 2 : 1;
      return Cost((Size(args_[0]) * Size(args_[1])) * factor + Exactly(1));
    }
    if (overload_ == "lists_range" && args_.size() == 1) {
      return NewList(1, Exactly(IntOf(args_[0], UINT64_MAX)));
    }
    if (target_ == nullptr) return {};
    if (overload_ == "list_slice" && args_.size() == 2) return Slice();
    if (overload_ == "list_flatten") return NewList(1, Size(*target_));
    if (overload_ == "list_flatten_int" && args_.size() == 1) {
      return NewList(static_cast<double>(IntOf(args_[0], UINT64_MAX)), Size(*target_));
    }
    if (overload_ == "list_reverse") return NewList(1, Size(*target_));
    if (overload_ == "list_distinct") return NewList(2, Size(*target_) * Size(*target_));
    if (overload_.starts_with("list_") && overload_.ends_with("_sort")) return Sort(*target_);
    if (overload_.ends_with("_sortByAssociatedKeys") && args_.size() == 1) return Sort(args_[0]);
    return {};
  }
  static CallEstimate NewList(double factor, const SizeRange& size) {
    return {size * factor + Exactly(1) + Exactly(static_cast<uint64_t>(kListCost)), size};
  }
  CallEstimate Slice() const {
    SizeRange size = Size(*target_);
    const uint64_t start = IntOf(args_[0], 0);
    const uint64_t end = IntOf(args_[1], size.max);
    return NewList(1, Exactly(end - start));
  }
  CallEstimate Sort(const CostArgument& keys) const {
    const bool text = overload_.starts_with("list_string_") || overload_.starts_with("list_bytes_");
    return NewList(text ? 2 + kString : 2, Size(keys) * Size(keys));
  }
  static uint64_t IntOf(const CostArgument& argument, uint64_t otherwise) {
    const Expr* expr = argument.expr;
    if (expr == nullptr || expr->kind != ExprKind::kLiteral || expr->literal.kind() != Kind::kInt) {
      return otherwise;
    }
    return expr->literal.AsInt() < 0 ? 0 : static_cast<uint64_t>(expr->literal.AsInt());
  }

  // ---- Text, by function.
  std::optional<CallEstimate> TextCall() const {
    if (OneOf(function_, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}) &&
        target_ != nullptr) {
      return Traversal();
    }
    if (OneOf(function_, {"url", "jsonpatch.escapeKey"}) && args_.size() == 1) {
      const SizeRange size = Size(args_[0]);
      return CallEstimate{size * kString, size};
    }
    if (OneOf(function_, {"lowerAscii", "upperAscii", "substring", "trim"}) && target_ != nullptr) {
      const SizeRange size = Size(*target_);
      return CallEstimate{size * kString, size};
    }
    if (function_ == "replace" && target_ != nullptr && args_.size() >= 2) return Replace();
    if (function_ == "split" && target_ != nullptr) return Split();
    if (function_ == "join" && target_ != nullptr) return Join();
    if (OneOf(function_, {"find", "findAll"}) && target_ != nullptr && !args_.empty()) {
      const SizeRange size = Size(*target_);
      return CallEstimate{((size + Exactly(1)) * kString) * (Size(args_[0]) * kRegex),
                          SizeRange{0, size.max}};
    }
    if (OneOf(function_, {"quantity", "isQuantity", "semver", "isSemver"}) && !args_.empty()) {
      return Cost(Size(args_[0]) * kString);
    }
    if (function_ == "validate" && !args_.empty()) {
      return Cost(Size(args_[0]) * kString * (kMaxFormatRegexSize * kRegex));
    }
    return {};
  }

  CallEstimate Traversal() const {
    const std::optional<Items> items = ItemsOf(*target_);
    if (!items) return Cost(Size(*target_) * kString);
    CostRange each = Exactly(1);
    if (items->type->kind == TypeKind::kString || items->type->kind == TypeKind::kBytes) {
      each = each + items->size * kString;
    }
    return Cost(Size(*target_) * each);
  }

  CallEstimate Replace() const {
    const SizeRange size = Size(*target_);
    const SizeRange from = Size(args_[0]);
    const SizeRange to = Size(args_[1]);
    SizeRange count;
    SizeRange kept;
    const auto one_more = [](uint64_t n) { return n < UINT64_MAX ? n + 1 : n; };
    const auto pieces = [](uint64_t all, uint64_t each) {
      const double quotient = std::ceil(static_cast<double>(all) / static_cast<double>(each));
      return quotient >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(quotient);
    };
    if (from.min == 0) {
      count.max = one_more(size.max);
      kept.max = size.max;
    } else if (to.max <= from.min) {
      kept.max = size.max;
    } else {
      count.max = pieces(size.max, from.min);
    }
    if (from.max == 0) {
      count.min = one_more(size.min);
      kept.min = size.min;
    } else if (from.max <= to.min) {
      kept.min = size.min;
    } else {
      count.min = pieces(size.min, from.max);
    }
    return {size * (2 * kString), count * to + kept};
  }

  CallEstimate Split() const {
    const SizeRange size = Size(*target_);
    uint64_t most = size.max;
    if (args_.size() > 1 && args_[1].expr->kind == ExprKind::kLiteral &&
        args_[1].expr->literal.kind() == Kind::kInt) {
      most = static_cast<uint64_t>(args_[1].expr->literal.AsInt());
    }
    return {size * (2 * kString), SizeRange{0, most}};
  }

  CallEstimate Join() const {
    const SizeRange count = Size(*target_);
    SizeRange size;
    if (const std::optional<Items> items = ItemsOf(*target_)) size = count * items->size;
    if (!args_.empty()) {
      const SizeRange separators{count.min > 0 ? count.min - 1 : 0,
                                 count.max > 0 ? count.max - 1 : 0};
      size = size + Size(args_[0]) * separators;
    }
    return {size * kString, size};
  }

  // ---- Addresses.
  std::optional<CallEstimate> NetworkCall() const {
    if (OneOf(function_, {"cidr", "isIP", "isCIDR"}) && !args_.empty()) {
      return Cost(Size(args_[0]) * kString);
    }
    if (function_ == "ip") {
      if (overload_ == "cidr_ip") return Cost(Exactly(1));
      if (!args_.empty()) return Cost(Size(args_[0]) * kString);
    }
    if (function_ == "ip.isCanonical" && !args_.empty()) {
      return Cost(Size(args_[0]) * (2 * kString));
    }
    if (OneOf(function_, {"containsIP", "containsCIDR"}) && !args_.empty()) {
      const SizeRange size{4, 16};
      CostRange cost = (size + size) * kString;
      if (function_ == "containsCIDR") cost = cost + size * kString + Exactly(1);
      if (OneOf(overload_, {"cidr_contains_ip_string", "cidr_contains_cidr_string"})) {
        cost = cost + Size(args_[0]) * kString;
      }
      return Cost(cost);
    }
    return {};
  }

  std::optional<CallEstimate> Equality() const {
    const Type& type = *args_[0].type;
    if (!SameType(type, *args_[1].type)) return {};
    const std::string_view name = type.name;
    if (OneOf(name, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"}) ||
        name.starts_with("kubernetes.authorization.")) {
      return Cost(Exactly(1));
    }
    if (name == "kubernetes.NamedFormat") return Cost(CostRange{1, kMaxFormatSize} * kString);
    if (name == "kubernetes.URL") {
      const uint64_t most = args_[1].size ? args_[1].size->max : 1;
      return Cost(CostRange{1, most} * kString);
    }
    return {};
  }

  std::string_view function_;
  std::string_view overload_;
  const CostArgument* target_;
  std::span<const CostArgument> args_;
  const SizeSource* sizes_;
};

}  // namespace

std::optional<CallEstimate> EstimateLibraryCall(std::string_view function,
                                                std::string_view overload,
                                                const CostArgument* target,
                                                std::span<const CostArgument> args,
                                                const SizeSource* sizes) {
  return Library(function, overload, target, args, sizes).Run();
}

}  // namespace skiff::cel
