// Reads the profile of heat.cpp with libpva.
#include <pva/pva.hpp>

#include <iostream>

int main(int, char **argv) {
  try {
    const auto report = pva::openReport(argv[1]);
    const auto version = report.poplarVersion();
    std::cout << "version " << version.major() << ' ' << version.minor() << ' ' << version.point() << '\n';
    const auto graph = report.compilation().graph();
    std::cout << graph.numComputeSets() << " compute sets, " << graph.numVertices() << " vertices, " << graph.numEdges()
              << " edges, " << graph.numVars() << " variables\n";
    const auto target = report.compilation().target();
    std::cout << target.numTiles() << " tiles of " << target.bytesPerTile() << " bytes, "
              << target.clockFrequency() / 1e9 << " GHz\n";
    const auto tile = report.compilation().tiles().at(3);
    std::cout << "tile " << tile.id() << ": " << tile.memory().total().includingGaps() << " bytes, "
              << tile.memory().total().excludingGaps() << " without gaps\n";
    for (const auto &step : report.execution().steps())
      if (step.kind() == "execute")
        std::cout << step.name() << " executed " << step.count() << " times\n";
    std::cout << report.execution().totalCycles() << " cycles\n";
  } catch (const pva::Error &error) {
    std::cout << error.what() << '\n';
  }
}
