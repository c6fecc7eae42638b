"""The intermediate representation between SDFGs and Poplar programs."""
