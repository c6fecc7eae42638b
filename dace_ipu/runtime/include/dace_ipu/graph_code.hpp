// How functions that build graphs are compiled.
#ifndef DACE_IPU_GRAPH_CODE_HPP
#define DACE_IPU_GRAPH_CODE_HPP

// They run once for each graph and spend their time inside of Poplar, but are long: optimising them costs a compiler
// several times as long as all the rest of a program, and gains nothing.
#if defined(__GNUC__) && !defined(__clang__)
#define DACE_IPU_GRAPH_CODE __attribute__((optimize("O0")))
#elif defined(__clang__)
#define DACE_IPU_GRAPH_CODE __attribute__((optnone))
#else
#define DACE_IPU_GRAPH_CODE
#endif

#endif // DACE_IPU_GRAPH_CODE_HPP
