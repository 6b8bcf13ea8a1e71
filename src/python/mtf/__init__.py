"""mtf in Python: a tensor language in which layout is part of the program.

    import mtf, numpy as np
    s = mtf.Session(mesh="rows:2;cols:2", layout="batch:rows")
    s.run("dim batch = 4, io = 2\nlet w = ones([io])")
    s["x"] = mtf.tensor(np.ones((4, 2), np.float32), "batch io")
    s["einsum(x, w -> [batch])"].numpy()          # without a copy where one block is the whole
    s.plan("sum(x * w)", layout="io:cols")["totals"]["collectives"]

All work is done by the library libmtf.so, through its functions in C (mtf/mtf.h).
"""

from __future__ import annotations

import collections
import ctypes
import html
import json
import os
import signal
import socket
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

__all__ = ["Session", "Tensor", "Prepared", "Plan", "Explanation", "Answer", "Error", "Place", "Edit", "Fix",
           "Diagnostic", "tensor", "version"]


# ---- the library in C ------------------------------------------------------------------------------------------------


def _structure(name: str, fields: str) -> type:
    """A record of mtf/mtf.h: `fields` has a line for each type with the names of members of that type."""
    types = {"text": c_char_p, "size": c_size_t, "int": c_int, "int64": c_int64, "double": c_double, "pointer": c_void_p}
    members = []
    for line in fields.strip().splitlines():
        kind, _, names = line.strip().partition(" ")
        members += [(each.strip(), types.get(kind) or _records[kind]) for each in names.split(",")]
    _records[name] = type(name, (ctypes.Structure,), {"_fields_": members})
    _records["*" + name] = POINTER(_records[name])
    return _records[name]


_records: dict[str, Any] = {"texts": POINTER(c_char_p)}
_Place = _structure("place", "text file\nsize line, column, end_line, end_column")
_Edit = _structure("edit", "place place\ntext text")
_Fix = _structure("fix", "text title\nsize edit_count\n*edit edits")
_Diagnostic = _structure("diagnostic", """text kind
    int is_error
    text message, found
    place place
    size note_count
    texts notes
    size help_count
    texts helps
    text text
    size fix_count
    *fix fixes""")
_Diagnostics = _structure("diagnostics", "size count\n*diagnostic list")
_Setting = _structure("setting", "text name, value")
_Progress = _structure("progress", "text variable\nint64 done, count\ndouble seconds")
_Options = _structure("options", """size struct_size
    text mesh, layout
    size set_count
    *setting set
    int threads, on_ranks
    text standard_library
    pointer output, warning, context
    int check_finite
    int64 memory
    pointer progress, report""")
_Dim = _structure("dim", "text name\nint64 size")
_Tensor = _structure("tensor", "int element\nsize dim_count\n*dim dims\nsize bytes\npointer data")


class _Value(ctypes.Structure):
    pass


_Value._fields_ = [("kind", c_int), ("integer", c_int64), ("number", c_double), ("text", c_void_p),
                   ("text_length", c_size_t), ("item_count", c_size_t), ("items", POINTER(_Value)),
                   ("tensor", POINTER(_Tensor))]
_records["*value"] = POINTER(_Value)
_Name = _structure("name", "text name, type\nint64 bytes")
_Names = _structure("names", "size count\n*name list")
_Collective = _structure("collective", "text kind\nsize axis_count\ntexts axes\nint64 count, calls, values, bytes, wire_bytes")
_Counters = _structure("counters", "int64 flops, unique_flops, processors, peak_bytes\nsize collective_count\n*collective collectives")
_SearchRules = _structure("search_rules", """size struct_size
    int64 processors
    int axes, stored
    int64 memory
    text layout, machine
    pointer progress, context
    int most""")
_Stream = _structure("stream", "pointer begin, next, end")

_OUTPUT = ctypes.CFUNCTYPE(None, c_void_p, c_size_t, c_void_p)
_WARNING = ctypes.CFUNCTYPE(None, POINTER(_Diagnostic), c_void_p)
_REPORT = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
_PROGRESS = ctypes.CFUNCTYPE(None, POINTER(_Progress), c_size_t, c_void_p)
_FUNCTION = ctypes.CFUNCTYPE(c_int, POINTER(_Value), c_size_t, POINTER(_Value), c_void_p)
_BEGIN = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_NEXT = ctypes.CFUNCTYPE(c_int, POINTER(c_void_p), c_size_t, c_void_p)
_END = ctypes.CFUNCTYPE(None, c_void_p)
_SEARCHED = ctypes.CFUNCTYPE(None, c_int64, c_double, c_void_p)


def _load() -> ctypes.CDLL:
    """$MTF_LIBRARY, or the library beside this file, or that of the system."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libmtf.so.0")
    given = os.environ.get("MTF_LIBRARY")
    library = ctypes.CDLL(given or (here if os.path.exists(here) else "libmtf.so.0"))
    pointer, text, size = c_void_p, c_char_p, c_size_t
    for name, arguments in {
        "open": [POINTER(_Options), POINTER(pointer)],
        "run": [pointer, text],
        "run_file": [pointer, text],
        "interrupt": [pointer],
        "set_tensor": [pointer, text, POINTER(_Tensor)],
        "get_value": [pointer, text, POINTER(POINTER(_Value))],
        "set_value": [pointer, text, POINTER(_Value)],
        "get_names": [pointer, POINTER(POINTER(_Names))],
        "define": [pointer, text, _FUNCTION, pointer, pointer],
        "define_stream": [pointer, text, POINTER(_Tensor), size, POINTER(_Stream), pointer, pointer],
        "prepare": [pointer, text, POINTER(text), size, POINTER(pointer)],
        "call": [pointer, POINTER(_Value), size, POINTER(POINTER(_Value))],
        "mark_counters": [pointer],
        "get_counters": [pointer, POINTER(POINTER(_Counters))],
        "get_plan": [pointer, text, text, text, POINTER(pointer)],
        "get_plan_of_file": [pointer, text, text, text, text, POINTER(pointer)],
        "explain": [pointer, text, text, text, size, POINTER(pointer)],
        "search": [pointer, text, POINTER(_SearchRules), POINTER(pointer)],
        "check": [pointer, text, POINTER(POINTER(_Diagnostics))],
    }.items():
        getattr(library, "mtf_" + name).argtypes = arguments
    for name in ("tensor", "value", "names", "counters", "plan", "explanation", "answer", "diagnostics", "prepared"):
        getattr(library, "mtf_free_" + name).argtypes = [pointer]
        getattr(library, "mtf_free_" + name).restype = None
    for name in ("plan", "explanation", "answer"):
        getattr(library, f"mtf_{name}_json").argtypes = [pointer]
        getattr(library, f"mtf_{name}_json").restype = text
    library.mtf_close.argtypes, library.mtf_close.restype = [pointer], None
    library.mtf_last_error.argtypes, library.mtf_last_error.restype = [pointer], POINTER(_Diagnostic)
    library.mtf_version.restype = text
    return library


_library = _load()


def version() -> str:
    """The version of the library."""
    return _library.mtf_version().decode()


# ---- what went wrong -------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A position in a program. Lines and columns count from 1, and the end is behind the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Edit(NamedTuple):
    """The text at the place is replaced; at an empty place, text is put in."""

    place: Place
    text: str


class Fix(NamedTuple):
    """A help that can be carried out: its edits are made all at once."""

    title: str
    edits: list[Edit]


class Diagnostic(NamedTuple):
    """An error or a warning about a program."""

    kind: str
    is_error: bool
    message: str
    found: str
    place: Place
    notes: list[str]
    helps: list[str]
    fixes: list[Fix]
    text: str


class Error(Exception):
    """An error in a program, an option or an argument. `diagnostic` says what and where."""

    def __init__(self, diagnostic: Diagnostic):
        super().__init__(diagnostic.text.rstrip("\n"))
        self.diagnostic = diagnostic

    @property
    def kind(self) -> str:
        return self.diagnostic.kind

    @property
    def place(self) -> Place:
        return self.diagnostic.place

    @property
    def fixes(self) -> list[Fix]:
        return self.diagnostic.fixes


def _place(place: Any) -> Place:
    return Place(place.file.decode(), place.line, place.column, place.end_line, place.end_column)


def _diagnostic(of: Any) -> Diagnostic:
    fixes = [Fix(each.title.decode(), [Edit(_place(edit.place), edit.text.decode())
                                       for edit in each.edits[:each.edit_count]]) for each in of.fixes[:of.fix_count]]
    return Diagnostic(of.kind.decode(), bool(of.is_error), of.message.decode(), of.found.decode(), _place(of.place),
                      [each.decode() for each in of.notes[:of.note_count]],
                      [each.decode() for each in of.helps[:of.help_count]], fixes, of.text.decode())


def _wrong(found: str) -> Error:
    message = "the function cannot be called like this"
    return Error(Diagnostic("wrong_call", True, message, found, Place("", 0, 0, 0, 0), [], [], [],
                            f"error: {message}: {found}"))


# ---- tensors ---------------------------------------------------------------------------------------------------------

_DTYPES = [np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.uint16), np.dtype(np.float32), np.dtype(np.float64)]
_NAMES = ["bool", "i32", "bf16", "f32", "f64"]
_BF16 = 2
Dims = Union[str, Sequence[str]]


class Tensor:
    """A gathered tensor with named dims. Made by `tensor`, or the value of an expression of a session.

    A session's tensor shares the session's memory where one block is the whole: `numpy` and `__dlpack__` do not copy.
    """

    def __init__(self, array: np.ndarray, dims: Sequence[str], element: str, keep: Any = None):
        self._array, self._dims, self.element, self._keep = array, tuple(dims), element, keep

    @property
    def dims(self) -> dict[str, int]:
        """The size of each dim by its name, the outermost first."""
        return dict(zip(self._dims, self._array.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    def numpy(self) -> np.ndarray:
        """A view that cannot be written to. NumPy has no bf16: such a tensor becomes a copy in f32."""
        if self.element != "bf16":
            return self._array
        return (self._array.astype(np.uint32) << 16).view(np.float32)

    def bits(self) -> np.ndarray:
        """The elements as they are stored: those of bf16 as uint16."""
        return self._array

    def item(self) -> Union[bool, int, float]:
        return self.numpy().item()

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        return np.array(self.numpy(), dtype) if copy else np.asarray(self.numpy(), dtype)

    def __dlpack__(self, **given: Any) -> Any:
        # DLPack cannot say that memory is not to be written to.
        array = self.numpy()
        memory = (ctypes.c_byte * array.nbytes).from_address(array.ctypes.data)
        shared = np.frombuffer(memory, array.dtype).reshape(array.shape)
        memory._keep = self
        return shared.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        dims = ", ".join(f"{name}={size}" for name, size in self.dims.items())
        return f"{self.element}[{dims}]\n{self.numpy()}"

    def _repr_html_(self) -> str:
        """A table of the innermost two dims; of larger tensors the first and the last rows and columns."""
        array, most = self.numpy(), 12
        dims = ", ".join(f"{name}={size}" for name, size in self.dims.items())
        caption = f"<caption>{html.escape(self.element)}[{html.escape(dims)}]</caption>"
        rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)

        def shown(count: int) -> list[Optional[int]]:
            return list(range(count)) if count <= most else [*range(most // 2), None, *range(count - most // 2, count)]

        body = "".join("<tr>" + "".join("<td>…</td>" if r is None or c is None else f"<td>{rows[r, c]:.6g}</td>"
                                        for c in shown(rows.shape[1])) + "</tr>" for r in shown(rows.shape[0]))
        return f"<table>{caption}{body}</table>"


def _names_of(dims: Dims) -> list[str]:
    return dims.split() if isinstance(dims, str) else list(dims)


def tensor(array: Any, dims: Dims, element: Optional[str] = None) -> Tensor:
    """A tensor of anything that NumPy takes. `dims`: the names, "batch io". Floats become f32 unless they are arrays of
    float64, ints i32. `element="bf16"` rounds to the nearest."""
    values = np.asarray(array)
    names = _names_of(dims)
    if len(names) != values.ndim:
        raise _wrong(f"{values.ndim} dims of shape {values.shape} have the names {names}")
    if element is None:
        element = {"b": "bool", "i": "i32", "u": "i32", "f": "f64" if getattr(array, "dtype", None) == np.float64 else "f32"}.get(
            values.dtype.kind)
    if element not in _NAMES:
        raise _wrong(f"there is no element type for {values.dtype}")
    if element == "bf16":
        if values.dtype != np.uint16:
            bits = np.asarray(values, np.float32, order="C").view(np.uint32)
            rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
            values = np.where(np.isnan(np.asarray(values, np.float32)), ((bits >> 16) | 0x40).astype(np.uint16), rounded)
        return Tensor(np.asarray(values, order="C"), names, element)
    dtype = _DTYPES[_NAMES.index(element)]
    if values.dtype.kind in "iu" and dtype == np.int32 and values.size and (
            values.max() > 2147483647 or values.min() < -2147483648):
        raise _wrong("an integer does not fit into i32")
    return Tensor(np.asarray(values, dtype, order="C"), names, element)


# ---- records ---------------------------------------------------------------------------------------------------------


def _counters(of: Any) -> dict[str, Any]:
    collectives = [{"kind": each.kind.decode(), "axes": [axis.decode() for axis in each.axes[:each.axis_count]],
                    **{name: getattr(each, name) for name in ("count", "calls", "values", "bytes", "wire_bytes")}}
                   for each in of.collectives[:of.collective_count]]
    return {"flops": of.flops, "unique_flops": of.unique_flops, "processors": of.processors,
            "peak_bytes": of.peak_bytes, "collectives": collectives}


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.4g} {unit}"
        count /= 1024
    return ""


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = lambda kind, row: "".join(f"<{kind}>{html.escape(str(each))}</{kind}>" for each in row)
    return f"<table><tr>{cells('th', head)}</tr>" + "".join(f"<tr>{cells('td', row)}</tr>" for row in rows) + "</table>"


class Plan(dict):
    """What a statement or a program would cost: "totals", "lines", "parts" and "doubts" (empty: a run counts exactly
    these figures). The reference lists all fields. `json` is the text that all clients of mtf give for it."""

    def __init__(self, text: str):
        super().__init__(json.loads(text))
        self.json = text

    def _repr_html_(self) -> str:
        totals = self["totals"]
        collectives = [(each["kind"], " and ".join(each["axes"]), each["count"], _bytes(each["bytes"]),
                        _bytes(each["wire_bytes"])) for each in totals["collectives"]]
        lines = [(f"{each['line']}", each["text"], f"{each['flops']:,}", each["collectives"], _bytes(each["wire_bytes"]))
                 for each in self["lines"]]
        note = "<p>An estimate: only a run knows all of it.</p>" if self["doubts"] else ""
        return (f"<p>{totals['flops']:,} flops on each of {totals['processors']} processors, peak "
                f"{_bytes(totals['peak_bytes'])}</p>{note}"
                + (_table(("collective", "over", "calls", "bytes", "on the wire"), collectives) if collectives else
                   "<p>no communication</p>")
                + _table(("line", "", "flops", "collectives", "on the wire"), lines))


class Explanation(dict):
    """Why a statement communicates: "collectives", "now", and "better" layouts, the best first. `json` as of a Plan."""

    def __init__(self, text: str):
        super().__init__(json.loads(text))
        self.json = text

    def _repr_html_(self) -> str:
        if not self["collectives"]:
            return "<p>no communication</p>"
        rows = [(f"{each['kind']} over {' and '.join(each['axes'])}", each["result"], _bytes(each["wire_bytes"]),
                 each["reason"], "; ".join(each["rules"])) for each in self["collectives"]]
        better = [(each["layout"], _bytes(each["wire_bytes"]), each["collectives"], f"{each['flops']:,}")
                  for each in self["better"]]
        return _table(("collective", "makes", "on the wire", "why", "rules"), rows) + (
            _table(("better layout", "on the wire", "collectives", "flops"), better) if better else
            "<p>No layout in which one axis splits another dim sends fewer bytes for as few flops.</p>")


class Answer(list):
    """The meshes and layouts that a search found, the best first: "mesh", "layout", "seconds", "counters". `json` as of
    a Plan."""

    def __init__(self, text: str):
        super().__init__(json.loads(text)["found"])
        self.json = text

    def _repr_html_(self) -> str:
        return _table(("mesh", "layout", "a step", "flops", "on the wire"), [
            (each["mesh"], each["layout"], f"{each['seconds'] * 1000:.4g} ms", f"{each['counters']['flops']:,}",
             _bytes(sum(one["wire_bytes"] for one in each["counters"]["collectives"]))) for each in self])


# ---- interrupts ------------------------------------------------------------------------------------------------------


class _Interrupts:
    """Ends the run of the main thread's session at Ctrl-C: a handler in Python is called only when the run returns."""

    def __init__(self) -> None:
        self.running: Optional[int] = None
        self._sockets: Optional[tuple[socket.socket, socket.socket]] = None

    def __enter__(self) -> "_Interrupts":
        if self._sockets is None:
            self._sockets = socket.socketpair()
            self._sockets[1].setblocking(False)
            threading.Thread(target=self._watch, daemon=True).start()
        self._before = signal.set_wakeup_fd(self._sockets[1].fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: Any) -> None:
        signal.set_wakeup_fd(self._before)

    def _watch(self) -> None:
        while True:
            numbers = self._sockets[0].recv(64)
            running = self.running
            if running is not None and signal.SIGINT in numbers:
                _library.mtf_interrupt(running)


_interrupts = _Interrupts()


# ---- sessions --------------------------------------------------------------------------------------------------------


class Session:
    """An interpreter: names stay from one call to the next. Use it from one thread at a time.

    mesh, layout: as of the `mtf` command, "rows:2;cols:2" and "batch:rows". set: values of options and dims by name.
    output: gets what is printed; otherwise it goes to standard output. warning: gets each warning of a run. progress:
    gets a list of dicts, the loops under way, at the beginning of each iteration. report: gets a Plan after each
    statement of a run, with what it computed and communicated. memory: bytes that each processor may use. on_ranks:
    mpirun has started this process as one of several.
    """

    def __init__(self, mesh: str = "", layout: str = "", *, set: Optional[Mapping[str, Any]] = None, threads: int = 0,
                 memory: int = 0, check_finite: bool = False, on_ranks: bool = False, standard_library: str = "",
                 output: Optional[Callable[[str], None]] = None,
                 warning: Optional[Callable[[Diagnostic], None]] = None,
                 progress: Optional[Callable[[list[dict[str, Any]]], None]] = None,
                 report: Optional[Callable[["Plan"], None]] = None):
        self._held = c_void_p()
        self._dead: collections.deque[tuple[Any, int]] = collections.deque()
        self._failure: Optional[BaseException] = None
        self._functions: list[Any] = []
        options = _Options(struct_size=ctypes.sizeof(_Options), mesh=mesh.encode(), layout=layout.encode(),
                           threads=threads, memory=memory, check_finite=check_finite, on_ranks=on_ranks,
                           standard_library=standard_library.encode() or None)
        settings = [_Setting(name.encode(), str(value).encode()) for name, value in (set or {}).items()]
        if settings:
            options.set_count, options.set = len(settings), (_Setting * len(settings))(*settings)
        if output is not None:
            options.output = self._callback(_OUTPUT, lambda text, length, _: output(
                ctypes.string_at(text, length).decode(errors="replace")))
        if warning is not None:
            options.warning = self._callback(_WARNING, lambda of, _: warning(_diagnostic(of[0])))
        if progress is not None:
            options.progress = self._callback(_PROGRESS, lambda loops, count, _: progress(
                [{"variable": each.variable.decode(), "done": each.done, "count": each.count, "seconds": each.seconds}
                 for each in loops[:count]]))
        if report is not None:
            options.report = self._callback(_REPORT, lambda plan, _: report(
                Plan(_library.mtf_plan_json(plan).decode())))
        code = _library.mtf_open(byref(options), byref(self._held))
        if code:
            error = self._error(code)
            self.close()
            raise error

    def close(self) -> None:
        """Ends the session. Tensors that came out of it stay valid."""
        held, self._held = getattr(self, "_held", None), c_void_p()
        if held:
            _library.mtf_close(held)
            self._let_go()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    # ---- programs ----------------------------------------------------------------------------------------------------

    def run(self, text: str) -> None:
        """Runs statements one by one, as at the prompt. An error takes back the failed statement."""
        self._call(_library.mtf_run, text.encode())

    def run_file(self, path: Union[str, os.PathLike]) -> None:
        """Checks a file, and runs it as one program. Its names stay."""
        self._call(_library.mtf_run_file, os.fsencode(path))

    def interrupt(self) -> None:
        """Ends the current run, from another thread."""
        _library.mtf_interrupt(self._held)

    def check(self, text: str) -> list[Diagnostic]:
        """All errors and warnings of a program, which is not run and does not see the session's names."""
        return self._record(_library.mtf_check, _Diagnostics, _library.mtf_free_diagnostics,
                            lambda of: [_diagnostic(each) for each in of.list[:of.count]], text.encode())

    # ---- values ------------------------------------------------------------------------------------------------------

    def __getitem__(self, expression: str) -> Any:
        """The value of a name or an expression: None, a bool, an int, a float, a str, a list, a tuple or a Tensor; the
        description of anything else."""
        value = POINTER(_Value)()
        self._call(_library.mtf_get_value, expression.encode(), byref(value))
        return self._taken(value)

    def __setitem__(self, name: str, value: Any) -> None:
        """Binds a name, or assigns a param or a state ("net.w"). An array takes the dims and the element type of the
        tensor that the name has; `mtf.tensor(array, "batch io")` names the dims."""
        if isinstance(value, np.ndarray) or (hasattr(value, "__dlpack__") and not isinstance(value, Tensor)):
            known = self._known(name, np.ndim(value))
            value = tensor(value, list(known.dims), known.element)
        keep: list[Any] = []
        if isinstance(value, Tensor):
            self._call(_library.mtf_set_tensor, name.encode(), byref(_tensor_record(value, keep)))
        else:
            self._call(_library.mtf_set_value, name.encode(), byref(_value_record(value, keep)))

    def names(self) -> dict[str, str]:
        """The names that the program has bound, with their types."""
        return self._record(_library.mtf_get_names, _Names, _library.mtf_free_names,
                            lambda of: {each.name.decode(): each.type.decode() for each in of.list[:of.count]})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names())

    # ---- functions and streams of Python -----------------------------------------------------------------------------

    def function(self, signature: Union[str, Callable[..., Any], None] = None) -> Any:
        """A decorator that lets scripts call a function: `@s.function("noise(x: tensor, scale: float = 1) -> tensor")`.
        Without a signature, the names of the function and of its parameters are those in Python. Arguments that were
        left out are not given. An array that is returned takes the dims of the first tensor of its shape among the
        arguments."""
        if callable(signature):
            return self.function()(signature)

        def define(function: Callable[..., Any]) -> Callable[..., Any]:
            self._define(signature or _signature_of(function), function)
            return function

        return define

    def _define(self, signature: str, function: Callable[..., Any]) -> None:
        names = [part.split(":")[0].split("=")[0].strip()
                 for part in signature[signature.find("(") + 1:signature.rfind(")")].split(",") if part.strip()]
        result_of: list[Any] = []

        def call(arguments: Any, count: int, result: Any, _: Any) -> int:
            try:
                given = [self._copied(arguments[i]) for i in range(count)]
                named = {name: value for name, value in zip(names, given) if value is not None}
                returned = function(**named)
                if isinstance(returned, np.ndarray):
                    same = [each for each in given if isinstance(each, Tensor) and each.shape == returned.shape]
                    returned = tensor(returned, list(same[0].dims) if same else [] if returned.ndim == 0 else [""])
                result_of.clear()
                ctypes.memmove(result, byref(_value_record(returned, result_of)), ctypes.sizeof(_Value))
                return 0
            except BaseException as error:  # raised again by the call of the session
                self._failure = error
                return 1

        callback = _FUNCTION(call)
        self._functions.append(callback)
        self._call(_library.mtf_define, signature.encode(), callback, None, None)

    def stream(self, name: str, batches: Union[Iterable[Any], Callable[[], Iterable[Any]]],
               dims: Union[Dims, Sequence[Dims]]) -> None:
        """Lets scripts iterate over batches of Python: `for (x, y) in NAME() { … }`. `batches` is iterated, or called
        and iterated, anew for each loop: a list, a DataLoader, a function that is a generator. Each batch is an array,
        or a tuple of them. `dims` names the dims: "batch io", or for a tuple ("batch io", "batch"). The first batch
        says sizes and element types."""
        begin_all = batches if callable(batches) else lambda: batches
        first = next(iter(begin_all()), None)
        if first is None:
            raise _wrong(f"the stream {name!r} has no batch")
        several = isinstance(first, (tuple, list))
        all_dims = [dims] if not several else list(dims)
        made = [tensor(each, of) for each, of in zip(first if several else [first], all_dims)]
        if several and len(made) != len(first):
            raise _wrong(f"{len(first)} tensors of a batch have {len(all_dims)} lists of dims")
        keep: list[Any] = []
        records = (_Tensor * len(made))(*[_tensor_record(each, keep) for each in made])
        open_streams: dict[int, Iterator[Any]] = {}

        def begin(_: Any) -> int:
            number = max(open_streams, default=0) + 1
            try:
                open_streams[number] = iter(begin_all())
            except BaseException as error:
                self._failure = error
                open_streams[number] = iter(())
            return number

        def following(memory: Any, count: int, number: int) -> int:
            if self._failure is not None:
                return -1
            try:
                batch = next(open_streams[number], None)
                if batch is None:
                    return 0
                for i, each in enumerate(batch if several else [batch]):
                    one = tensor(each, all_dims[i], made[i].element)
                    if one.dims != made[i].dims:
                        raise _wrong(f"a batch of the stream {name!r} has {one.dims}, the first had {made[i].dims}")
                    ctypes.memmove(memory[i], one.bits().ctypes.data, one.bits().nbytes)
                return 1
            except BaseException as error:
                self._failure = error
                return -1

        callbacks = (_BEGIN(begin), _NEXT(following), _END(lambda number: open_streams.pop(number, None) and None))
        self._functions.append(callbacks)
        stream = _Stream(*[ctypes.cast(each, c_void_p) for each in callbacks])
        self._call(_library.mtf_define_stream, name.encode(), records, len(made), byref(stream), None, None)

    def prepare(self, expression: str, inputs: Union[Mapping[str, Dims], Sequence[str], str]) -> "Prepared":
        """Parses and checks an expression once, for many calls with other arguments: `step = s.prepare("step(x)", {"x":
        "batch io"}); step(array)`. `inputs` are the names that stand for them, with the names of their dims."""
        return Prepared(self, expression, inputs)

    # ---- costs -------------------------------------------------------------------------------------------------------

    def counters(self) -> dict[str, Any]:
        """Computation and communication since the beginning, or since mark()."""
        return self._record(_library.mtf_get_counters, _Counters, _library.mtf_free_counters, _counters)

    def mark(self) -> None:
        """Makes counters() count from here on."""
        self._call(_library.mtf_mark_counters)

    def plan(self, text: str, mesh: str = "", layout: Optional[str] = None) -> Plan:
        """What a statement would cost, also under another mesh or layout. Nothing is computed or changed."""
        return self._answer("get_plan", "plan", Plan, text.encode(), mesh.encode() or None,
                            layout.encode() if layout else None)

    def plan_file(self, path: Union[str, os.PathLike], mesh: str = "", layout: str = "", machine: str = "") -> Plan:
        """What a program in a file would cost, as `mtf plan` tells it. The names of the session do not matter."""
        return self._answer("get_plan_of_file", "plan", Plan, os.fsencode(path), mesh.encode() or None,
                            layout.encode() or None, machine.encode() or None)

    def explain(self, text: str, mesh: str = "", layout: str = "", most: int = 3) -> Explanation:
        """Why a statement communicates, and the layouts under which it would send less."""
        return self._answer("explain", "explanation", Explanation, text.encode(), mesh.encode() or None,
                            layout.encode() or None, most)

    def search(self, text: str, processors: int, *, axes: int = 2, memory: int = 0, layout: str = "",
               stored: bool = False, machine: str = "", most: int = 2,
               progress: Optional[Callable[[int, float], None]] = None) -> Answer:
        """The meshes and layouts under which a statement takes the least time by a machine model, at most `most`."""
        rules = _SearchRules(struct_size=ctypes.sizeof(_SearchRules), processors=processors, axes=axes, memory=memory,
                             layout=layout.encode() or None, stored=stored, machine=machine.encode() or None,
                             most=most)
        told = _SEARCHED(self._guarded(lambda looked_at, best, _: progress(looked_at, best) if progress else None))
        if progress is not None:
            rules.progress = ctypes.cast(told, c_void_p)
        return self._answer("search", "answer", Answer, text.encode(), byref(rules))

    # ---- how it is done ----------------------------------------------------------------------------------------------

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """An exception of a function that C calls ends the run, and is raised by the call of the session."""

        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as error:
                self._failure = error
                _library.mtf_interrupt(self._held)

        return call

    def _callback(self, kind: Any, function: Callable[..., Any]) -> Any:
        callback = kind(self._guarded(function))
        self._functions.append(callback)
        return ctypes.cast(callback, c_void_p)

    def _let_go(self) -> None:
        while self._dead:
            free, record = self._dead.popleft()
            free(record)

    def _error(self, code: int) -> BaseException:
        failure, self._failure = self._failure, None
        if failure is not None:
            return failure
        if code == 130:
            return KeyboardInterrupt()
        said = _library.mtf_last_error(self._held)
        return Error(_diagnostic(said[0])) if said else MemoryError()

    def _call(self, function: Any, *arguments: Any, held: Any = None) -> None:
        if not self._held:
            raise _wrong("the session is closed")
        self._let_go()
        self._failure = None
        if threading.current_thread() is threading.main_thread() and _interrupts.running is None:
            with _interrupts:
                _interrupts.running = self._held.value
                try:
                    code = function(held or self._held, *arguments)
                finally:
                    _interrupts.running = None
        else:
            code = function(held or self._held, *arguments)
        if code or self._failure is not None:
            raise self._error(code)

    def _answer(self, function: str, record: str, kind: Any, *arguments: Any) -> Any:
        """An answer of the library, by its text in JSON."""
        answer = c_void_p()
        self._call(getattr(_library, "mtf_" + function), *arguments, byref(answer))
        try:
            text = getattr(_library, f"mtf_{record}_json")(answer)
            if text is None:
                raise MemoryError()
            return kind(text.decode())
        finally:
            getattr(_library, "mtf_free_" + record)(answer)

    def _record(self, function: Any, kind: Any, free: Any, made: Callable[[Any], Any], *arguments: Any) -> Any:
        record = POINTER(kind)()
        self._call(function, *arguments, byref(record))
        try:
            return made(record[0])
        finally:
            free(record)

    def _taken(self, record: Any) -> Any:
        """The value of a record that is freed with the last tensor of it."""
        keep = _Freed(self._dead, _library.mtf_free_value, ctypes.cast(record, c_void_p).value)
        return _value_of(record[0], keep)

    @staticmethod
    def _copied(value: Any) -> Any:
        """A value of a call from C, whose memory ends with the call."""
        made = _value_of(value, None)

        def own(each: Any) -> Any:
            if isinstance(each, Tensor):
                return Tensor(each.bits().copy(), each._dims, each.element)
            return type(each)(own(item) for item in each) if isinstance(each, (list, tuple)) else each

        return own(made)

    def _known(self, name: str, count: int) -> Tensor:
        """The tensor of a name, which must have so many dims."""
        try:
            known = self[name]
        except Error:
            known = None
        if not isinstance(known, Tensor) or len(known.dims) != count:
            raise _wrong(f"the dims of {name!r} are not known: give mtf.tensor(array, \"…\") with their names")
        return known


class Prepared:
    """An expression with inputs, parsed and checked once."""

    def __init__(self, session: Session, expression: str, inputs: Union[Mapping[str, Dims], Sequence[str], str]):
        names = inputs.split() if isinstance(inputs, str) else list(inputs)
        self._session, self._names = session, names
        self._dims = {name: _names_of(of) for name, of in inputs.items()} if isinstance(inputs, Mapping) else {}
        self._held = c_void_p()
        texts = (c_char_p * len(names))(*[each.encode() for each in names])
        session._call(_library.mtf_prepare, expression.encode(), texts, len(names), byref(self._held))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        given = dict(zip(self._names, arguments), **named)
        if len(arguments) > len(self._names) or set(given) != set(self._names):
            raise _wrong(f"expected the arguments {', '.join(self._names)}, found {', '.join(given) or 'none'}")
        keep: list[Any] = []
        values = []
        for name in self._names:
            value = given[name]
            if name in self._dims and not isinstance(value, Tensor):
                value = tensor(value, self._dims[name])
            values.append(_value_record(value, keep))
        result = POINTER(_Value)()
        self._session._call(_library.mtf_call, (_Value * len(values))(*values), len(values), byref(result),
                            held=self._held)
        return self._session._taken(result)

    def __del__(self) -> None:
        if getattr(self, "_held", None):
            self._session._dead.append((_library.mtf_free_prepared, self._held.value))


class _Freed:
    """Lets a record go on the session's thread, when the last object that refers to it is gone."""

    def __init__(self, dead: "collections.deque[tuple[Any, int]]", free: Any, record: int):
        self._dead, self._free, self._record = dead, free, record

    def __del__(self) -> None:
        self._dead.append((self._free, self._record))


class _Memory:
    """The elements of a record, for NumPy."""

    def __init__(self, record: Any, keep: Any):
        dtype = _DTYPES[record.element]
        shape = tuple(each.size for each in record.dims[:record.dim_count])
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (record.data, True), "version": 3}
        self._keep = keep


def _value_of(value: Any, keep: Any) -> Any:
    if value.kind == 0:
        return None
    if value.kind == 1:
        return bool(value.integer)
    if value.kind == 2:
        return value.integer
    if value.kind == 3:
        return value.number
    if value.kind in (4, 8):
        return ctypes.string_at(value.text, value.text_length).decode(errors="replace")
    if value.kind == 7:
        record = value.tensor[0]
        names = [each.name.decode() for each in record.dims[:record.dim_count]]
        return Tensor(np.asarray(_Memory(record, keep)), names, _NAMES[record.element], keep)
    items = [_value_of(each, keep) for each in value.items[:value.item_count]]
    return items if value.kind == 5 else tuple(items)


def _tensor_record(value: Tensor, keep: list[Any]) -> Any:
    array = np.asarray(value.bits(), order="C")
    dims = (_Dim * max(1, array.ndim))(*[_Dim(name.encode(), size) for name, size in zip(value._dims, array.shape)])
    keep += [array, dims]
    return _Tensor(_NAMES.index(value.element), array.ndim, dims, array.nbytes, array.ctypes.data)


def _value_record(value: Any, keep: list[Any]) -> Any:
    if value is None:
        return _Value(0)
    if isinstance(value, (bool, np.bool_)):
        return _Value(1, int(value))
    if isinstance(value, (int, np.integer)):
        if not -(1 << 63) <= value < 1 << 63:
            raise _wrong(f"{value} does not fit into 64 bits")
        return _Value(2, int(value))
    if isinstance(value, (float, np.floating)):
        return _Value(3, 0, float(value))
    if isinstance(value, str):
        text = ctypes.create_string_buffer(value.encode())
        keep.append(text)
        return _Value(4, 0, 0, ctypes.cast(text, c_void_p), len(text) - 1)
    if isinstance(value, Tensor):
        record = _tensor_record(value, keep)
        keep.append(record)
        return _Value(7, tensor=ctypes.pointer(record))
    if isinstance(value, (list, tuple)):
        items = (_Value * max(1, len(value)))(*[_value_record(each, keep) for each in value])
        keep.append(items)
        return _Value(5 if isinstance(value, list) else 6, item_count=len(value), items=items)
    raise _wrong(f"a {type(value).__name__} cannot go in: give mtf.tensor(array, \"…\") with the names of the dims"
                 if hasattr(value, "__array__") else f"a {type(value).__name__} cannot go in")


def _signature_of(function: Callable[..., Any]) -> str:
    import inspect

    kinds = {int: "int", float: "float", str: "string", bool: "bool", list: "list", Tensor: "tensor", "int": "int",
             "float": "float", "str": "string", "bool": "bool", "list": "list", "Tensor": "tensor",
             "mtf.Tensor": "tensor"}
    signature = inspect.signature(function)
    parts = []
    for each in signature.parameters.values():
        kind = f": {kinds[each.annotation]}" if each.annotation in kinds else ""
        parts.append(each.name + kind + ("" if each.default is each.empty else " = none"))
    result = f" -> {kinds[signature.return_annotation]}" if signature.return_annotation in kinds else ""
    return f"{function.__name__}({', '.join(parts)}){result}"
