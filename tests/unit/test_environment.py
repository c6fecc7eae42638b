"""What generated programs are built with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import dace
import pytest

from dace_ipu import compat, config, environment
from dace_ipu.environment import IPUPoplarSDK, IPUSimulator


@pytest.fixture
def simulator_in(monkeypatch):
    """Pretend that the simulator's libraries are built in a folder."""
    return lambda folder: monkeypatch.setattr(environment, "_simulator_libraries", lambda: Path(folder))


def frame_code(program_environment) -> str:
    """Generate a program with one tasklet that asks for an environment."""
    sdfg = dace.SDFG("uses_environment")
    tasklet = sdfg.add_state("main").add_tasklet("nothing", {}, {}, "", dace.Language.CPP, side_effects=True)
    tasklet.environments = {program_environment.full_class_path()}
    return sdfg.generate_code()[0].clean_code


@pytest.mark.parametrize("program_environment", [IPUSimulator, IPUPoplarSDK])
def test_the_frame_gets_the_header_and_a_pointer(program_environment):
    code = frame_code(program_environment)
    assert '#include "dace_ipu/forward.hpp"' in code
    assert "dace_ipu::Programs *ipu_programs;" in code


def test_both_modes_print_the_same_frame():
    assert frame_code(IPUSimulator) == frame_code(IPUPoplarSDK).replace("IPUPoplarSDK", "IPUSimulator")


def test_include_folders_exist():
    for program_environment in (IPUSimulator, IPUPoplarSDK):
        assert all(Path(folder).is_dir() for folder in program_environment.cmake_includes())


@pytest.mark.parametrize("standard", ["c++11", "c++17", "c++20"])
def test_the_forward_header_compiles_alone(standard):
    header = environment.RUNTIME_INCLUDE / "dace_ipu" / "forward.hpp"
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run(["g++", *flags, "-x", "c++", str(header)], check=True)


def test_the_simulator_is_linked_by_full_paths(simulator_in):
    simulator_in("/cache/lib")
    assert "/cache/lib/libpoplar.so" in IPUSimulator.cmake_libraries()
    assert IPUSimulator.cmake_link_flags() == ["-Wl,-rpath,/cache/lib"]


@pytest.mark.parametrize("folder", ["/home/some body/lib", "/a;b", "/a'b", "/a$b"])
def test_a_path_that_the_build_would_split_is_refused(simulator_in, folder):
    simulator_in(folder)
    with pytest.raises(ValueError, match="cannot use the path"):
        IPUSimulator.cmake_libraries()


def test_generating_code_does_not_build_the_simulator(monkeypatch):
    def fail():
        raise AssertionError("built the simulator")

    monkeypatch.setattr(environment, "_simulator_libraries", fail)
    frame_code(IPUSimulator)


def test_the_sdk_is_linked_by_name(monkeypatch):
    monkeypatch.setenv("POPLAR_SDK_ENABLED", "/sdk")
    assert "poplar" in IPUPoplarSDK.cmake_libraries()


def test_without_an_enabled_sdk_the_build_is_refused(monkeypatch):
    monkeypatch.delenv("POPLAR_SDK_ENABLED", raising=False)
    with pytest.raises(config.ConfigError, match="no Poplar SDK is enabled"):
        IPUPoplarSDK.cmake_libraries()


@pytest.mark.parametrize("mode, expected", [("simulator", IPUSimulator), ("sdk", IPUPoplarSDK)])
def test_the_mode_chooses(monkeypatch, mode, expected):
    monkeypatch.setenv("DACE_compiler_ipu_mode", mode)
    assert environment.current() is expected


def test_an_environment_can_be_activated_by_a_code_generator():
    dispatcher = type("Dispatcher", (), {"_used_environments": set()})()
    compat.use_environment(dispatcher, IPUSimulator.full_class_path())
    assert dace.library.get_environments_and_dependencies(dispatcher._used_environments) == [IPUSimulator]
