"""The codelet compiler: C++ sources in, a codelet module (``.gp``) out.

The way of a source, one module each::

    options      the command line
    preprocess   the compiler's preprocessor: one text, every line with its place in the user's files
    classes      tree-sitter: vertex classes, their fields, explicit instantiations
    table        C++ that describes them to libpoplar (the contract: include/poplar/abi/codelet_module.h)
    compile      the compiler: text and table to a shared library, errors in terms of the user's source
    store        the cache of compiled modules
    driver       puts these together
"""
