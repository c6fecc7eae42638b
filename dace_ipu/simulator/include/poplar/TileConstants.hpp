// Sizes of a tile that codelets use.
#ifndef poplar_TileConstants_hpp
#define poplar_TileConstants_hpp

#include <arch/gc_tile_defines.h>

#define NUM_WORKERS (CTXT_WORKERS)
#define CONV_UNIT_INPUT_LOAD_ELEMS_FLOAT (2)
#define CONV_UNIT_INPUT_LOAD_ELEMS_HALF (4)
#define NUM_STRIDE_BITS (10)

#endif
