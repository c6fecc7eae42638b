#include "engine_options.hpp"

#include <poplar/RuntimeOptions.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>

namespace dace_ipu_sim {

namespace {

// Keys that Poplar documents or that public programs set. Only those with a comment do something here.
const char *const engineKeys[] = {
    "autoReport.all",       // write the profile when the engine goes away
    "autoReport.directory", // where to
    "autoReport.executionProfileProgramRunCount",
    "autoReport.outputArchive",
    "autoReport.outputDebugInfo",
    "autoReport.outputExecutionProfile",
    "autoReport.outputGraphProfile",
    "autoReport.outputLoweredVars",
    "autoReport.outputSerializedGraph",
    "autoReport.streamAtEachRun",
    "debug.allowOutOfMemory", // true: a graph that does not fit runs all the same
    "debug.branchRecordTile",
    "debug.checkForNaNs",
    "debug.checkUninitialised", // an extension: report reads of memory that was never written
    "debug.checkVertices", // an extension: vertices must not read or write outside of their edges
    "debug.computeInstrumentationLevel",
    "debug.cpuMultiThreadExecution",
    "debug.disableCycles",
    "debug.exceptOnSOCError",
    "debug.executionProfile",
    "debug.floatPointOpException", // true: invalid operations, divisions by zero and overflows stop the program
    "debug.globalExchangeViaDebug",
    "debug.instrument",
    "debug.instrumentCompute",
    "debug.instrumentControlFlow",
    "debug.instrumentExternalExchange",
    "debug.loweredVarDumpFile",
    "debug.nanOverflowException",
    "debug.outputAllSymbols",
    "debug.profilingTile",
    "debug.retainDebugInformation",
    "debug.runtimeVerify",
    "debug.supervisorStackSizeInBytes",
    "debug.trace",
    "debug.traceFile",
    "debug.verboseExceptions",
    "debug.verify",
    "exchange.enablePrefetch",      // false: never ask stream callbacks ahead of need
    "exchange.streamBufferOverlap", // none: the buffers are separate, so that they can be filled ahead
    "exchange.multiplexedStreams",
    "memory.elements.allocated",
    "opt.enableInlining",
    "opt.enableMultiAccessCopies",
    "opt.enableOutOfMemory",
    "opt.enableSkylineAllocator",
    "opt.enableTileUpdates",
    "opt.internalExchangeOptimisationTarget",
    "opt.maxCompilationThreads",
    "opt.maxLinkerThreads",
    "opt.overlapInstrumentation",
    "opt.skylineAllocator",
    "opt.useAutoloader",
    "profiler.blocks.filter",
    "profiler.exchangePairs", // an extension: so many pairs of tiles of each exchange are in the profile
    "profiler.format",
    "profiler.includeCycleEstimates",
    "profiler.includeFlopEstimates",
    "profiler.perExecutionStreamCopyCycles",
    "profiler.programs.filter",
    "profiler.replicaToProfile",
    "profiler.useCborForDebugInfo",
    "streamCallbacks.maxLookahead",
    "streamCallbacks.multiThreadMode",
    "streamCallbacks.numWorkerThreads",
    "target.deterministicWorkers",
    "target.extendedMemory",
    "target.gatewayMode",
    "target.gatewayWriteCombining",
    "target.hostSyncTimeout",
    "target.saveArchive",
    "target.supervisorStackSizeInBytes",
    "target.supportedFeatures",
    "target.syncMethod",
    "target.syncPollPeriodUs",
    "target.syncReplicasIndependently",
    "target.vertexCycles", // an extension: whether the code or setPerfEstimate says what a vertex costs
    "target.workerStackSizeInBytes",
};

const char *const runtimeKeys[] = {
    "streamCallbacks.maxLookahead",
    "streamCallbacks.multiThreadMode",
    "streamCallbacks.numWorkerThreads",
    "target.hostSyncTimeout",
    "target.syncMethod",
    "target.syncPollPeriodUs",
};

template <std::size_t N>
void requireKnown(const poplar::OptionFlags &options, const char *const (&keys)[N], const char *kind) {
  for (const auto &flag : options)
    if (std::none_of(std::begin(keys), std::end(keys), [&](const char *key) { return flag.first == key; }))
      throw poplar::invalid_option(std::string("unknown ") + kind + " option '" + flag.first + "'");
}

// Of those that do something here.
void requireValues(const poplar::OptionFlags &options) {
  for (const char *key : {"autoReport.all", "autoReport.outputExecutionProfile", "autoReport.outputGraphProfile",
                          "debug.allowOutOfMemory", "debug.checkUninitialised", "debug.checkVertices",
                          "debug.floatPointOpException", "exchange.enablePrefetch"})
    isSet(options, key);
  const auto overlap = options.find("exchange.streamBufferOverlap");
  if (overlap == options.end())
    return;
  const std::string &value = overlap->second;
  if (value != "any" && value != "hostRearrangeOnly" && value != "none")
    throw poplar::invalid_option("option 'exchange.streamBufferOverlap' must be 'any', 'hostRearrangeOnly' or 'none', "
                                 "not '" + value + "'");
}

} // namespace

poplar::OptionFlags engineOptions(const poplar::OptionFlags &given) {
  poplar::OptionFlags options;
  poplar::readJSONFromEnv("POPLAR_ENGINE_OPTIONS", options);
  for (const auto &flag : given)
    options.set(flag.first, flag.second);
  requireKnown(options, engineKeys, "engine");
  requireValues(options);
  return options;
}

void checkRuntimeOptions(const poplar::OptionFlags &given) { requireKnown(given, runtimeKeys, "runtime"); }

bool streamsAreAhead(const poplar::OptionFlags &options) {
  const auto overlap = options.find("exchange.streamBufferOverlap");
  return overlap != options.end() && overlap->second == "none" && isSet(options, "exchange.enablePrefetch", true);
}

std::uint64_t numberOf(const poplar::OptionFlags &options, const char *key, std::uint64_t fallback) {
  const auto it = options.find(key);
  if (it == options.end())
    return fallback;
  const std::string &text = it->second;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || text.size() > 9)
    throw poplar::invalid_option(std::string("option '") + key + "' must be a number, not '" + text + "'");
  return std::stoull(text);
}

bool isSet(const poplar::OptionFlags &options, const char *key, bool fallback) {
  const auto it = options.find(key);
  if (it == options.end())
    return fallback;
  if (it->second == "true")
    return true;
  if (it->second == "false")
    return false;
  throw poplar::invalid_option(std::string("option '") + key + "' must be 'true' or 'false', not '" + it->second + "'");
}

} // namespace dace_ipu_sim

namespace poplar {

RuntimeOptions::RuntimeOptions(const OptionFlags &flags) : flags_(flags) { dace_ipu_sim::checkRuntimeOptions(flags); }

} // namespace poplar
