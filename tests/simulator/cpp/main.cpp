#include "check.hpp"

int main(int argc, char **argv) { return check::runAll(argc > 1 ? argv[1] : ""); }
