#include "controllers/ttl.h"

#include <array>
#include <limits>
#include <memory>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"

namespace skiff::controllers {
namespace {

constexpr std::string_view kAnnotation = "node.alpha.kubernetes.io/ttl";

// Sizes overlap, so that a cluster at a boundary does not go to and fro.
struct Step {
  int fewest_nodes;
  int most_nodes;
  int seconds;
};
constexpr std::array<Step, 5> kSteps = {{
    {.fewest_nodes = 0, .most_nodes = 100, .seconds = 0},
    {.fewest_nodes = 90, .most_nodes = 500, .seconds = 15},
    {.fewest_nodes = 450, .most_nodes = 1000, .seconds = 30},
    {.fewest_nodes = 900, .most_nodes = 2000, .seconds = 60},
    {.fewest_nodes = 1800, .most_nodes = std::numeric_limits<int>::max(), .seconds = 300},
}};

class Ttl final : public QueueController {
 public:
  explicit Ttl(ControllerContext context)
      : QueueController(std::move(context), {.name = "ttlcontroller", .workers = 5}),
        nodes_(context_.informers.For(client::BuiltIn("", "v1", "nodes"))) {
    queue_.Follow(nodes_,
                  {.added =
                       [this](const client::ObjectPtr& node) {
                         ++node_count_;
                         queue_.Add(KeyOf(*node));
                         if (node_count_ > kSteps[step_].most_nodes) MoveTo(step_ + 1);
                       },
                   .updated = [this](const client::ObjectPtr&,
                                     const client::ObjectPtr& node) { queue_.Add(KeyOf(*node)); },
                   .deleted =
                       [this](const client::ObjectPtr&) {
                         --node_count_;
                         if (node_count_ < kSteps[step_].fewest_nodes) MoveTo(step_ - 1);
                       }});
  }

 private:
  void MoveTo(size_t step) {
    step_ = step;
    for (const client::ObjectPtr& node : nodes_.List()) queue_.Add(KeyOf(*node));
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr node = nodes_.Find({.name_space = {}, .name = key});
    const std::string wanted = std::to_string(kSteps[step_].seconds);
    if (!node || AnnotationOf(*node, kAnnotation) == wanted) co_return Result<void>();
    std::string patch = "{\"metadata\":{\"annotations\":{" + object::JsonText(kAnnotation) + ":" +
                        object::JsonText(wanted) + "}}}";
    const Result<client::ObjectPtr> patched = co_await context_.client.Patch(
        nodes_.resource(), client::NameOf(*node), client::PatchType::kStrategic, std::move(patch));
    if (patched || FailedWith(patched, StatusReason::kNotFound)) co_return Result<void>();
    co_return std::unexpected(patched.error());
  }

  client::Informer& nodes_;
  int node_count_ = 0;
  size_t step_ = 0;
};

}  // namespace

std::unique_ptr<Controller> MakeTtlController(ControllerContext context) {
  return std::make_unique<Ttl>(std::move(context));
}

}  // namespace skiff::controllers
