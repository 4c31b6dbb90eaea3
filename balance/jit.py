"""The only place that compiles: every kernel of the games is decorated with `njit`.

Numba notices an edit to a kernel's own file but not to a file it imports, so the compiled code is kept
in a folder named after a digest of all the sources that kernels are made of.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_config: Any = numba.config
_compiler: Any = numba.njit
_PACKAGE = Path(__file__).parent
JIT_IS_DISABLED = bool(_config.DISABLE_JIT)


@functools.cache  # of the sources that are running, whatever is written over them meanwhile
def sources_digest() -> str:
    """Return a digest of all that kernels are made of."""
    digest = hashlib.sha256()
    kernels = sorted(path for path in (_PACKAGE / "games").rglob("*.py") if path.name != "show.py")
    for source in [Path(__file__), *kernels]:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable_cache() -> Path | None:
    """Return the folder for compiled code, or None where nothing can be kept."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for base in (Path(home).expanduser() / "balance", Path(tempfile.gettempdir()) / "balance-cache"):
        folder = base / f"kernels-{sources_digest()}{'-checked' if _config.BOUNDSCHECK else ''}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


# The inner loops run over two to four words of a board: made into vector code they are slower (measured).
_config.LOOP_VECTORIZE = 0
_config.SLP_VECTORIZE = 0

CACHE = _writable_cache()
if CACHE is not None:
    _config.CACHE_DIR = str(CACHE)


# No reference counting (kernels allocate nothing) and no wrappers for C: calls are cheap, compiling is short.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def njit(function: F) -> F:
    """Compile a kernel; kept on disk, and free of Python's global lock while it runs."""
    # forceinline=False: else a kernel takes it over from its caller, and compiling takes twice as long (measured)
    return cast("F", _compiler(cache=CACHE is not None, forceinline=False, **_OPTIONS)(function))


def small(function: F) -> F:
    """Compile a small kernel right into its callers."""
    return cast("F", _compiler(forceinline=True, **_OPTIONS)(function))


def is_compiled(module: str, kernel: str) -> bool:
    """Tell whether `kernel` of `module` (dotted) lies ready in the cache, or needs no compiling."""
    if JIT_IS_DISABLED:
        return True
    folder, _, file = module.removeprefix("balance.").replace(".", "/").rpartition("/")
    if CACHE is None:
        return False
    pattern = f"{folder.rpartition('/')[2]}_*/{file}.{kernel}-*.nbi"
    return any(CACHE.glob(pattern))
