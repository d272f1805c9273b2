#include "object/json/json_text.h"

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff::object {

std::string JsonText(std::string_view text) {
  ByteBuffer out;
  AppendJsonString(out, text);
  return out.ToString();
}

}  // namespace skiff::object
