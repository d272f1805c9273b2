// The syntax of schedules, as the cron of Kubernetes has it:
//
//   [TZ=zone | CRON_TZ=zone] minute hour day-of-month month day-of-week
//   [TZ=zone | CRON_TZ=zone] @yearly | @annually | @monthly | @weekly | @daily | @midnight
//                            | @hourly | @every duration
//
// A field is a list of `*`, `?`, a number, or a range `a-b`, each with a step `/n` or without.
// Months and days of the week have names too, of three letters in any case.
#pragma once

#include <string>
#include <string_view>

namespace skiff::apiserver {

// What is wrong with a schedule; empty if nothing is.
std::string CheckCronSchedule(std::string_view schedule);

}  // namespace skiff::apiserver
