/* Numbers of the tile's architecture that codelets use. Only those are here that a public source gives. */
#ifndef arch_gc_tile_defines_h
#define arch_gc_tile_defines_h

#define CTXT_WORKERS (6)

/* PopLibs, poplibs_support/TileConstants.hpp. */
#define TMEM_ELEMSIZE (0x4000)
#define TMEM_BYTE_MAX_ADDRESS_WIDTH (21)
#define CSR_W_FP_CTL__INDEX (258)
#define CSR_W_FP_ICTL__INDEX (258)

/* The longest loop of the `rpt` instruction: Target::getRptCountMax(). */
#define CSR_W_REPEAT_COUNT__VALUE__MASK (4095)

#endif
