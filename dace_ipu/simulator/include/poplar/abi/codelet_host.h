// What libpoplar offers to the code of a codelet module while it runs; both functions are optional.
//
// `dace_ipu_set_tile` is exported by modules whose code asks for the number of its tile. libpoplar calls it, in the
// thread that will run a vertex, before running it.
//
// `dace_ipu_codelet_set_host` is exported by every module. libpoplar may call it once, after loading the module. A module
// that was given no host counts cycles by itself, draws random numbers from a generator of its own in every host thread,
// and prints on stderr.
#ifndef DACE_IPU_CODELET_HOST_H
#define DACE_IPU_CODELET_HOST_H

#include <stddef.h>
#include <stdint.h>

extern "C" {

// Every function may be null. They are called from the thread that runs the vertex and must not throw.
struct DaceIpuCodeletHost {
  uint32_t abi;                                   // DACE_IPU_CODELET_ABI
  uint64_t (*cycles)(void);                       // the tile's cycle counter
  uint64_t (*random)(void);                       // 64 uniform random bits of the running worker
  void (*print)(const char *text, size_t length); // what a codelet printed
};

// `host` must stay valid as long as the module is loaded.
void dace_ipu_codelet_set_host(const DaceIpuCodeletHost *host);

void dace_ipu_set_tile(unsigned tile);

} // extern "C"

#endif
