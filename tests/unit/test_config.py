"""Configuration keys: where a value comes from, in which thread, and what is refused."""

from __future__ import annotations

import threading
from dataclasses import fields

import dace
import pytest

from dace_ipu import config

KEY = ("compiler", "ipu", "tiles")


def in_new_thread(function):
    """Return what ``function`` returns in a thread of its own; re-raise what it raises."""
    outcome = {}

    def run():
        try:
            outcome["value"] = function()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


@pytest.fixture(autouse=True)
def unchanged_config():
    """Start without variables of ours, and restore all values; last, because DaCe then reads the environment again."""
    with dace.config.temporary_config(), pytest.MonkeyPatch.context() as patch:
        for key in config.schema():
            patch.delenv(f"DACE_compiler_ipu_{key}", raising=False)
        yield


def test_defaults():
    assert config.settings() == config.Settings(
        mode="simulator", target="ipu2", ipus=1, tiles=0, graph_cache_size=4, check=False, libs=""
    )


def test_settings_and_schema_have_the_same_keys():
    assert {field.name for field in fields(config.Settings)} == set(config.schema())


def test_every_key_is_described():
    assert all(entry["title"] and entry["description"].strip() for entry in config.schema().values())


def test_a_set_value_goes_before_the_default():
    dace.Config.set(*KEY, value=8)
    assert config.get("tiles") == 8
    assert config.settings().tiles == 8


def test_the_environment_goes_before_a_set_value(monkeypatch):
    dace.Config.set(*KEY, value=8)
    monkeypatch.setenv("DACE_compiler_ipu_tiles", "16")
    assert config.get("tiles") == 16


def test_set_temporary_is_seen():
    with dace.config.set_temporary(*KEY, value=3):
        assert config.get("tiles") == 3
    assert config.get("tiles") == 0


@pytest.mark.parametrize("text, value", [("1", True), ("true", True), ("on", True), ("0", False), ("False", False)])
def test_bools_from_the_environment(monkeypatch, text, value):
    monkeypatch.setenv("DACE_compiler_ipu_check", text)
    assert config.get("check") is value


def test_a_new_thread_has_defaults_and_the_environment(monkeypatch):
    assert in_new_thread(lambda: config.get("tiles")) == 0
    monkeypatch.setenv("DACE_compiler_ipu_tiles", "16")
    assert in_new_thread(lambda: config.get("tiles")) == 16


def test_a_new_thread_can_set_values_of_its_own():
    def set_and_get():
        config.ensure_registered()
        dace.Config.set(*KEY, value=5)
        return config.get("tiles")

    assert in_new_thread(set_and_get) == 5
    assert config.get("tiles") == 0


def test_a_new_thread_knows_nothing_by_itself():
    """Why the helper exists. If DaCe's Config ever stops being local to a thread, it can be simplified."""
    with pytest.raises(KeyError):
        in_new_thread(lambda: dace.Config.get(*KEY))


def test_a_configuration_file_is_read(run_python, tmp_path):
    (tmp_path / "dace.conf").write_text("compiler:\n  ipu:\n    tiles: 7\n")
    code = "from dace_ipu import config; print(config.get('tiles'), config.get('target'))"
    assert run_python(code, DACE_CONFIG=str(tmp_path / "dace.conf")).stdout.split() == ["7", "ipu2"]


def test_dace_knows_the_keys_as_its_own():
    assert dace.Config.get(*KEY) == 0
    assert dace.Config.get_metadata(*KEY)["type"] == "int"


@pytest.mark.parametrize("key, text", [("tiles", "many"), ("check", "perhaps"), ("ipus", "1.5"), ("ipus", "")])
def test_a_value_of_the_wrong_type_names_its_variable(monkeypatch, key, text):
    monkeypatch.setenv(f"DACE_compiler_ipu_{key}", text)
    with pytest.raises(config.ConfigError, match=f"environment variable DACE_compiler_ipu_{key} is '{text}'"):
        config.settings()


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("mode", "hardware", "compiler.ipu.mode is 'simulator' or 'sdk', not 'hardware'"),
        ("tiles", -1, "compiler.ipu.tiles is at least 0, not -1"),
        ("ipus", 0, "compiler.ipu.ipus is at least 1, not 0"),
        ("graph_cache_size", 0, "compiler.ipu.graph_cache_size is at least 1, not 0"),
    ],
)
def test_a_value_out_of_range(key, value, message):
    dace.Config.set("compiler", "ipu", key, value=value)
    with pytest.raises(config.ConfigError) as error:
        config.settings()
    assert str(error.value) == message


def test_an_unknown_key():
    with pytest.raises(KeyError, match="tile"):
        config.get("tile")


def test_the_readme_lists_every_key_with_its_default(repository):
    readme = (repository / "README.md").read_text(encoding="utf-8")
    for key, entry in config.schema().items():
        default = str(entry["default"]).lower()
        shown = f"`{default}`" if default and entry["type"] == "str" else default
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{key}` |"))
        assert row.split("|")[2].strip() == shown
