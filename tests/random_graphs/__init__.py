"""Random graphs: views, copies and vertices on the simulator against a model in NumPy."""
