/* printf in a codelet. popc sends what it prints to the host's stderr. */
#ifndef dace_ipu_print_h
#define dace_ipu_print_h

#include <stdio.h>

#endif
