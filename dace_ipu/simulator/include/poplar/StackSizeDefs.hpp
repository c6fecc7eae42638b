// DEF_STACK_USAGE tells the linker of the device how much stack a function takes. Nothing needs it here.
#ifndef poplar_StackSizeDefs_hpp
#define poplar_StackSizeDefs_hpp

#ifndef DEF_STACK_USAGE
#define DEF_STACK_USAGE(BYTES, SYMBOL)
#endif

#endif
