/* Which machines the engine is for.
 *
 * A memory of WebAssembly is little-endian, and the engine's words are loaded and
 * stored as they lie there; addresses have 64 bits. On another machine guests would
 * compute something else without a sign of it, so this file does not compile there.
 * The test of it is "a compiler for another machine refuses" in tern-wasm's tests.
 */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Tern's WebAssembly engine is for little-endian machines; see the table of platforms in README.md"
#endif

#if !defined(__SIZEOF_POINTER__) || __SIZEOF_POINTER__ != 8
#error "Tern's WebAssembly engine is for 64-bit machines; see the table of platforms in README.md"
#endif

/* A file of C says at least one thing. */
extern const int tern_wasm_platform;
const int tern_wasm_platform = 64;
