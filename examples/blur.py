"""A photograph, blurred a hundred times with a 3x3 kernel on all tiles of a (simulated) IPU.

python examples/blur.py [folder]

writes blur_before.png, blur_after.png and blur.png (both side by side) into the folder, and prints the report of the
run. The photograph
is the one that matplotlib ships.
"""

import sys
from pathlib import Path

import dace
import matplotlib
import matplotlib.cbook
import matplotlib.image
import numpy as np

import dace_ipu

H, W = (dace.symbol(name) for name in "HW")
TURNS = 50  # two blurs a turn


@dace.program
def blur(image: dace.float32[3, H, W], smooth: dace.float32[3, H, W]):
    for _ in range(TURNS):
        smooth[:, 1:-1, 1:-1] = (
            image[:, :-2, :-2] + 2 * image[:, :-2, 1:-1] + image[:, :-2, 2:]
            + 2 * image[:, 1:-1, :-2] + 4 * image[:, 1:-1, 1:-1] + 2 * image[:, 1:-1, 2:]
            + image[:, 2:, :-2] + 2 * image[:, 2:, 1:-1] + image[:, 2:, 2:]
        ) * 0.0625  # fmt: skip
        image[:, 1:-1, 1:-1] = (
            smooth[:, :-2, :-2] + 2 * smooth[:, :-2, 1:-1] + smooth[:, :-2, 2:]
            + 2 * smooth[:, 1:-1, :-2] + 4 * smooth[:, 1:-1, 1:-1] + 2 * smooth[:, 1:-1, 2:]
            + smooth[:, 2:, :-2] + 2 * smooth[:, 2:, 1:-1] + smooth[:, 2:, 2:]
        ) * 0.0625  # fmt: skip


def photograph() -> np.ndarray:
    """The photograph as float32, shape (3, height, width), 0 to 1."""
    path = matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    return np.ascontiguousarray(np.moveaxis(matplotlib.image.imread(path), 2, 0).astype(np.float32) / 255)


def save(path: Path, picture: np.ndarray) -> None:
    """Write a picture of shape (3, height, width)."""
    matplotlib.image.imsave(path, np.moveaxis(picture, 0, 2).clip(0, 1))


def main(folder: Path) -> None:
    before = photograph()
    image, smooth = before.copy(), before.copy()
    expected, other = before.copy(), before.copy()
    sdfg = dace_ipu.to_ipu(blur.to_sdfg())
    sdfg(image=image, smooth=smooth, H=image.shape[1], W=image.shape[2])
    blur.f(expected, other)  # the same program in NumPy
    np.testing.assert_allclose(image, expected, atol=1e-4)
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("before", before), ("after", image)):
        save(folder / f"blur_{name}.png", picture)
    save(folder / "blur.png", np.concatenate([before, image], axis=2))
    print(dace_ipu.last_report())
    print(f"wrote {folder / 'blur.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
