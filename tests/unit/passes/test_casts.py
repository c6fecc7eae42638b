import numpy as np
import pytest

from dace_ipu.passes.casts import without_casts
from dace_ipu.passes.types import Types
from dace_ipu.tile_graph.body import Code

TYPES = Types({"x": np.dtype(np.float32), "h": np.dtype(np.float16), "n": np.dtype(np.int32)})


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("dace.float32(2) * x", "2.0 * x"),
        ("x + dace.float32(0.5)", "x + 0.5"),
        ("np.float32(1) < x", "1.0 < x"),
        ("dace.int32(3) + n", "3 + n"),
        ("(x + dace.float32(1)) * dace.float32(2)", "(x + 1.0) * 2.0"),
        ("dace.float32(-2) * x", "-2.0 * x"),
        ("n * dace.float32(2)", "n * dace.float32(2)"),  # a Python number would be a double here
        ("h * dace.float32(2)", "h * dace.float32(2)"),  # widens
        ("dace.float32(2) * dace.float32(3)", "2.0 * dace.float32(3)"),
        ("dace.int8(300) + n", "dace.int8(300) + n"),  # wraps
        ("dace.float32(n) * x", "dace.float32(n) * x"),
        ("y * dace.float32(2)", "y * dace.float32(2)"),  # unknown
    ],
)
def test_casts_of_numbers_go_where_they_change_no_type(text, plain):
    assert without_casts(Code(text), TYPES, None).text == plain


def test_a_number_alone_is_converted_by_its_target():
    assert without_casts(Code("dace.float32(2)"), TYPES, np.dtype(np.float32)).text == "2.0"
    assert without_casts(Code("dace.float32(2)"), TYPES, np.dtype(np.int32)).text == "dace.float32(2)"


def test_text_without_casts_stays_as_it_was_written():
    assert without_casts(Code("0.5*( x+1 )"), TYPES, None).text == "0.5*( x+1 )"
