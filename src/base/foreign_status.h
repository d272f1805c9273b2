// A Status that another server gave, with a code and a reason that need not be among ours: a
// webhook may refuse with 418 and "Teapot". Both are kept as a cause of a reserved reason, which
// nobody is shown, as there are few of them and every error would have to have room for it.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff {

// Empty reason: none is shown. Replaces what was there.
void SetForeign(Status& status, int code, std::string_view reason);

// What clients are told: those of another server, or those of the status's own reason.
int ShownCode(const Status& status);
std::string_view ShownReason(const Status& status);

// Whether the cause is none, but what the above is kept in.
bool IsForeignMark(const StatusCause& cause);

}  // namespace skiff
