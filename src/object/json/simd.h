// The vector operations that JSON text needs: where in the next 16 bytes something other than a
// plain character stands, or something other than in another text. SSE2 is part of every x86-64;
// elsewhere the same masks come from a loop that compilers vectorise themselves.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace skiff::object {

inline constexpr size_t kSimdWidth = 16;

#if defined(__SSE2__)

// Bit i is set if byte i ends a run of characters that a decoder can take as they are: a quote, a
// backslash, a control character, or a byte that is not ASCII.
inline uint32_t MaskStringEnd(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  // As signed bytes, control characters and non-ASCII bytes are exactly those below the space.
  const __m128i special = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
                                       _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
  return static_cast<uint32_t>(_mm_movemask_epi8(special));
}

// Bit i is set if byte i of both is the same.
inline uint32_t MaskEqual(const char* a, const char* b) {
  return static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)))));
}

// Copies 16 bytes and marks those that an encoder must not copy as they are: what MaskStringEnd
// marks, and the three characters that Go escapes for HTML's sake.
inline uint32_t CopyAndMaskEscapes(char* to, const char* from) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  const __m128i quotes = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
                                      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
  // '<' and '>' differ in one bit, so one comparison finds both.
  const __m128i html =
      _mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(2)), _mm_set1_epi8('>')),
                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(quotes, html)));
}

// What stops a plain copy of compact JSON text: white space and other characters up to the space,
// non-ASCII bytes, and the HTML characters.
inline __m128i Uncompact(__m128i bytes) {
  return _mm_or_si128(
      _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x21)),
      _mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(2)), _mm_set1_epi8('>')),
                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&'))));
}

// Copies 16 bytes, or 64, and tells whether they are all plain text of compact JSON.
inline __m128i CopyAndMarkUncompact(char* to, const char* from) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  return Uncompact(bytes);
}
inline bool CopyCompact16(char* to, const char* from) {
  return _mm_movemask_epi8(CopyAndMarkUncompact(to, from)) == 0;
}
inline bool CopyCompact64(char* to, const char* from) {
  const __m128i first =
      _mm_or_si128(CopyAndMarkUncompact(to, from), CopyAndMarkUncompact(to + 16, from + 16));
  const __m128i second = _mm_or_si128(CopyAndMarkUncompact(to + 32, from + 32),
                                      CopyAndMarkUncompact(to + 48, from + 48));
  return _mm_movemask_epi8(_mm_or_si128(first, second)) == 0;
}

#else

template <typename IsSpecial>
inline uint32_t MaskBytes(const char* from, IsSpecial is_special) {
  uint32_t mask = 0;
  for (size_t i = 0; i < kSimdWidth; ++i) {
    mask |= uint32_t{is_special(static_cast<unsigned char>(from[i]))} << i;
  }
  return mask;
}

inline uint32_t MaskStringEnd(const char* at) {
  return MaskBytes(at,
                   [](unsigned char c) { return c < 0x20 || c >= 0x80 || c == '"' || c == '\\'; });
}

inline uint32_t MaskEqual(const char* a, const char* b) {
  uint32_t mask = 0;
  for (size_t i = 0; i < kSimdWidth; ++i) mask |= uint32_t{a[i] == b[i]} << i;
  return mask;
}

inline uint32_t CopyAndMaskEscapes(char* to, const char* from) {
  std::memcpy(to, from, kSimdWidth);
  return MaskBytes(from, [](unsigned char c) {
    return c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
  });
}

inline bool CopyCompact16(char* to, const char* from) {
  std::memcpy(to, from, kSimdWidth);
  return MaskBytes(from, [](unsigned char c) {
           return c < 0x21 || c >= 0x80 || c == '<' || c == '>' || c == '&';
         }) == 0;
}
inline bool CopyCompact64(char* to, const char* from) {
  return CopyCompact16(to, from) && CopyCompact16(to + 16, from + 16) &&
         CopyCompact16(to + 32, from + 32) && CopyCompact16(to + 48, from + 48);
}

#endif

}  // namespace skiff::object
