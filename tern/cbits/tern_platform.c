/* Which machines the codecs are for.
 *
 * They write words as they lie in memory, and take a word of the machine for
 * 64 bits. On another machine what they write would be wrong without a sign of
 * it, so this file does not compile there. The test of it is "a compiler for
 * another machine refuses" in tern's laws.
 */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Tern's codecs are for little-endian machines; see the table of platforms in README.md"
#endif

#if !defined(__SIZEOF_POINTER__) || __SIZEOF_POINTER__ != 8
#error "Tern's codecs are for 64-bit machines; see the table of platforms in README.md"
#endif

/* A file of C says at least one thing. */
extern const int tern_platform;
const int tern_platform = 64;
