// Names of time zones, as the IANA database has them: "Europe/Zurich", "UTC".
#pragma once

#include <string_view>

namespace skiff::object {

// Case matters.
bool IsTimeZoneName(std::string_view name);

}  // namespace skiff::object
