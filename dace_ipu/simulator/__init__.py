"""The bundled simulator: Poplar's C++ API, its libraries and its codelet compiler, without an IPU.

``build`` compiles the libraries, ``enable`` describes the environment in which Poplar programs build and run against
them, ``popc`` compiles codelets, ``toolchain`` finds the C++ compiler. Nothing here imports DaCe.
"""
