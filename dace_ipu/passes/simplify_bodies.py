from dataclasses import dataclass
@dataclass(frozen=True)
class SimplifyBodies:
    name: str = "simplify_bodies"
    def apply(self, graph):
        return graph
