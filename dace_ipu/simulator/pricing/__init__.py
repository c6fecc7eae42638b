"""What a codelet costs on the machine, from its own code.

The way of a source, one module each::

    clang        finds a clang, compiles the source to LLVM IR as the device's compiler would, and IR to an object
    ir           reads the IR's text: functions, blocks, instructions
    loops        loops and their counters: which arithmetic the machine's addressing does for nothing
    slots        what one instruction costs, and in which of the two pipelines
    blocks       what a block costs: two neighbours share a bundle if they can
    dependence   whether an entry's control flow may depend on the contents of edges
    count        puts these together: IR that adds up its cost as it runs

docs/decisions/0010-vertex-cost-from-code.md says why.
"""
