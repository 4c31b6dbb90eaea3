"""The only place that compiles: every kernel of the games is decorated with `njit`.

Numba notices an edit to a kernel's own file but not to a file it imports, so the compiled code is kept
in a folder named after a digest of all the sources that kernels are made of.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba._dynfunc import make_function
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

F = TypeVar("F", bound=Callable[..., Any])

_config: Any = numba.config
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
    for base in (Path(home).expanduser() / "balance", Path(tempfile.gettempdir()) / f"balance-cache-{_user()}"):
        folder = base / f"kernels-{sources_digest()}{'-checked' if _config.BOUNDSCHECK else ''}"
        try:
            base.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True)
            if os.access(folder, os.W_OK) and not _others_can_write(base):
                return folder
        except OSError:
            continue
    return None


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _others_can_write(folder: Path) -> bool:
    """Tell whether somebody else may have put code there: what lies in a cache is run."""
    if not hasattr(os, "getuid"):
        return False
    found = folder.stat()
    return found.st_uid not in {os.getuid(), 0} or bool(found.st_mode & stat.S_IWOTH)


# The inner loops run over two to four words of a board: made into vector code they are slower (measured).
_config.LOOP_VECTORIZE = 0
_config.SLP_VECTORIZE = 0

CACHE = _writable_cache()
if CACHE is not None:
    _config.CACHE_DIR = str(CACHE)


# No reference counting (kernels allocate nothing) and no wrappers for C: calls are cheap, compiling is short.
_OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}


class _Code(JITCodeLibrary):
    """The code of a kernel for those that call it: neither optimized nor made machine code on its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _CodeCompiler(Compiler):
    """Compile a kernel as far as those that call it need it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]
        self.state.targetctx.get_executable = _nothing_to_execute
        self.state.library = _Code(self.state.targetctx.codegen(), "code")  # type: ignore[no-untyped-call]


def _nothing_to_execute(library: Any, description: Any, environment: Any) -> Any:
    name = description.qualname
    return make_function(description.lookup_module(), name, name, 0, environment, (library,))


class _Cache(FunctionCache):
    """Kernels on disk, taken from there without making numba's compiler ready: that takes longer than all the rest.

    Where there is none, the compiler makes itself ready. What cannot be read is compiled again, and what cannot be
    written is not kept: a full disk stops no game.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # a damaged pickle raises almost anything
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            self._save_overload(sig, data)  # type: ignore[no-untyped-call]


class _CalledKernel(CPUDispatcher):
    """A kernel as others call it: compiled once, also where numbers are written out in the call."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template([types.unliteral(arg) for arg in args], kws)  # type: ignore[no-untyped-call]


class _Kernel:
    """A kernel to be called from Python; another kernel takes over its code instead.

    Numba would optimize each kernel, and again with each one that calls it, and make machine code of it every time.
    This way all that is called is done once: compiling takes less than half as long (measured).
    Both are made when they are asked for: of hundreds, a command calls a few.
    """

    def __init__(self, function: Callable[..., Any], *, forceinline: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = {**_OPTIONS, "forceinline": forceinline}

    def __call__(self, *args: Any) -> Any:
        return self.compiled(*args)

    @functools.cached_property
    def compiled(self) -> Any:
        """What Python calls."""
        dispatcher: Any = CPUDispatcher(self.py_func, targetoptions=self.targetoptions)
        if CACHE is not None:
            with contextlib.suppress(OSError, RuntimeError):  # the folder is gone, or can no longer be written
                dispatcher._cache = _Cache(self.py_func)  # type: ignore[no-untyped-call]
        return dispatcher

    @functools.cached_property
    def code(self) -> Any:
        """What other kernels take over."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return _CalledKernel(self.py_func, targetoptions=options, pipeline_class=_CodeCompiler)

    @property
    def _numba_type_(self) -> Any:
        return self.code._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """What it was compiled for, to be called from Python."""
        return self.compiled.signatures


def _kernel(function: F, *, forceinline: bool) -> F:
    return function if JIT_IS_DISABLED else cast("F", _Kernel(function, forceinline=forceinline))


def njit(function: F) -> F:
    """Compile a kernel; kept on disk, and free of Python's global lock while it runs."""
    # forceinline=False: else a kernel takes it over from its caller, and compiling takes twice as long (measured)
    return _kernel(function, forceinline=False)


def small(function: F) -> F:
    """Compile a small kernel right into its callers."""
    return _kernel(function, forceinline=True)


def is_compiled(module: str, kernel: str) -> bool:
    """Tell whether `kernel` of `module` (dotted) lies ready in the cache, or needs no compiling."""
    if JIT_IS_DISABLED:
        return True
    folder, _, file = module.removeprefix("balance.").replace(".", "/").rpartition("/")
    if CACHE is None:
        return False
    pattern = f"{folder.rpartition('/')[2]}_*/{file}.{kernel}-*.nbi"
    return any(CACHE.glob(pattern))
