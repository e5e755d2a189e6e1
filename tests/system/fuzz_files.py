"""A grammar of checkpoint files: pickles that call the allowed functions with odd arguments, in archives laid out
wrongly.

`draw` makes one file from a random generator. About a third of the files are sound, so that what is loaded is tried
too; the others have one or a few faults each, of every kind that is listed here, and some are bombs: small files that
ask for much memory or time.
"""

from __future__ import annotations

import pickle
import random
import struct
from dataclasses import dataclass, field

from fuzz_archives import Storage, archive
from fuzz_tables import DTYPES, FOREIGN, GLOBALS, KINDS, NAMES, ODD_INTS, TENSOR_FLAGS


def text(s: str) -> bytes:
    data = s.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def integer(n: int) -> bytes:
    if 0 <= n < 256:
        return b"K" + bytes([n])
    if -(2**31) <= n < 2**31:
        return b"J" + struct.pack("<i", n)
    data = pickle.encode_long(n)
    return b"\x8a" + bytes([len(data)]) + data if len(data) < 256 else b"\x8b" + struct.pack("<i", len(data)) + data


def name(module: str, attribute: str) -> bytes:
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def pack(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def call(function: bytes, *args: bytes) -> bytes:
    return function + pack(*args) + b"R"


def table(**items: bytes) -> bytes:
    return b"}" + b"".join(text(k) + v + b"s" for k, v in items.items())


ORDERED = name("collections", "OrderedDict") + b")R"


@dataclass
class Grammar:
    """One file's pickle in the making: its storages and what it has memoized."""

    r: random.Random
    odd: float  # how often something is not what it should be
    storages: list[Storage] = field(default_factory=list)
    memo: list[int] = field(default_factory=list)
    next_memo: int = 0

    def wrong(self) -> bool:
        return self.r.random() < self.odd

    # ---- values
    def number(self) -> int:
        return self.r.choice(ODD_INTS) if self.wrong() else self.r.randrange(-3, 20)

    def scalar(self) -> bytes:
        r = self.r
        kind = r.randrange(12)
        if kind < 4:
            return integer(self.number())
        if kind < 6:
            return r.choice([b"\x88", b"\x89", b"N"])
        if kind == 6:
            return b"G" + struct.pack(">d", r.choice([0.0, -1.5, 1e308, float("nan"), float("inf")]))
        if kind == 7:
            return b"U" + bytes([3]) + b"a\xffb"
        if kind == 8:
            return r.choice(
                [
                    b"B" + struct.pack("<I", 5) + b"bytes",
                    b"C\x02ab",
                    b"\x8e" + struct.pack("<Q", 3) + b"abc",
                    b"T" + struct.pack("<i", 2) + b"ab",
                ]
            )
        if kind == 9:
            return r.choice(
                [
                    b"\x8c\x03\xc3\xa9a",
                    b"\x8d" + struct.pack("<Q", 2) + b"ab",
                    text("\ud800x"),
                    text("float32"),
                    text("torch.strided"),
                    text("cpu"),
                    text("meta"),
                ]
            )
        return text(r.choice(NAMES)) if kind == 10 else text("word" * r.randrange(20))

    def value(self, depth: int = 3) -> bytes:
        r = self.r
        if depth <= 0:
            return self.scalar()
        kind = r.randrange(24)
        if kind < 5:
            return self.scalar()
        if kind < 7:
            return b"(" + b"".join(self.value(depth - 1) for _ in range(r.randrange(4))) + b"t"
        if kind < 9:
            return b"](" + b"".join(self.value(depth - 1) for _ in range(r.randrange(4))) + b"e"
        if kind < 11:
            return b"}(" + b"".join(self.key(depth - 1) + self.value(depth - 1) for _ in range(r.randrange(4))) + b"u"
        if kind == 11:
            return b"\x8f(" + b"".join(self.key(depth - 1) for _ in range(r.randrange(4))) + b"\x90"
        if kind == 12:
            return self.ordered(depth)
        if kind < 18:
            return self.tensor(depth)
        if kind == 18:
            return self.known_call(depth)
        if kind == 19 and self.memo:
            k = r.choice(self.memo) if not self.wrong() else r.choice([self.next_memo + 1, 255, 2**31])
            return b"h" + bytes([k]) if k < 256 else b"j" + struct.pack("<I", min(k, 2**32 - 1))
        if kind == 20:
            return self.remember(self.value(depth - 1))
        if kind == 21:
            return self.recursive()
        if self.wrong():
            return self.misuse(depth)
        return self.scalar()

    def key(self, depth: int) -> bytes:
        return (
            self.value(depth)
            if self.wrong()
            else self.r.choice(
                [text(self.r.choice(NAMES)), integer(self.r.randrange(9)), text("w"), pack(integer(1), text("a"))]
            )
        )

    def remember(self, what: bytes) -> bytes:
        k, self.next_memo = self.next_memo, self.next_memo + 1
        self.memo.append(k)
        return what + (b"q" + bytes([k]) if k < 256 else b"r" + struct.pack("<I", k))

    def recursive(self) -> bytes:
        start = self.remember(self.r.choice([b"]", b"}", ORDERED]))
        again = b"h" + bytes([self.memo[-1] % 256])
        return start + (again + b"a" if start[:1] == b"]" else text("self") + again + b"s")

    def ordered(self, depth: int) -> bytes:
        r = self.r
        made = (
            ORDERED
            + b"("
            + b"".join(text(f"layer{i}.weight") + self.value(depth - 1) for i in range(r.randrange(3)))
            + b"u"
        )
        if r.random() < 0.5:
            made += (self.value(1) if self.wrong() else table(_metadata=table())) + b"b"
        return made

    def known_call(self, depth: int) -> bytes:
        r, one = self.r, self.maybe
        return r.choice(
            [
                lambda: call(
                    name("torch", "Size"), one(pack(*(integer(abs(self.number())) for _ in range(r.randrange(4)))))
                ),
                lambda: call(
                    name("torch", "device"),
                    one(text(r.choice(["cpu", "meta", "cuda:0", "nowhere", "cpu:" + "9" * 30]))),
                ),
                lambda: call(name("builtins", "complex"), one(b"G" + bytes(8)), one(b"G" + bytes(8))),
                lambda: call(name("builtins", "set"), one(b"](" + self.key(1) + self.key(1) + b"e")),
                lambda: call(name("builtins", "bytearray"), one(b"B\x02\x00\x00\x00ab")),
                lambda: call(name("builtins", "bytearray"), one(text("ab")), one(text("latin-1"))),
                lambda: call(
                    name("_codecs", "encode"),
                    one(text("ab\xff")),
                    one(text(r.choice(["latin1"] * 4 + ["hex", "zlib_codec", "rot13", "utf-32", "idna", "undefined"]))),
                ),
                lambda: call(name("collections", "Counter"), one(b"}" + self.key(1) + integer(2) + b"s")),
                lambda: call(name("collections", "OrderedDict"), one(b"](](" + self.key(1) + integer(2) + b"ee")),
                lambda: call(
                    name("torch.serialization", "_get_layout"),
                    one(text(r.choice(["torch.strided", "strided", "torch.sparse_coo", "torch.no"]))),
                ),
                lambda: name("torch", r.choice(list(DTYPES))),
            ]
        )()

    def misuse(self, depth: int) -> bytes:
        """Anything done with anything."""
        r, v = self.r, self.value
        some = r.choice(GLOBALS + FOREIGN)
        return r.choice(
            [
                lambda: name(*some),
                lambda: call(name(*some), *(v(depth - 1) for _ in range(r.randrange(4)))),
                lambda: v(depth - 1) + v(depth - 1) + b"R",
                lambda: name(*some) + v(1) + b"\x81",
                lambda: name(*some) + v(1) + table() + b"\x92",
                lambda: v(depth - 1) + v(depth - 1) + b"b",
                lambda: v(depth - 1) + self.state() + b"b",
                lambda: name(*some) + self.state() + b"b",
                lambda: v(1) + v(1) + b"a",
                lambda: v(1) + b"(" + v(1) + v(1) + b"e",
                lambda: v(1) + v(1) + v(1) + b"s",
                lambda: v(1) + b"(" + v(1) + v(1) + v(1) + b"u",
                lambda: v(1) + b"(" + v(1) + b"\x90",
                lambda: b"(" + v(1) + v(1) + b"\x91",
                lambda: v(1) + v(1) + b"\x93",
                lambda: text(some[0]) + text(some[1]) + b"\x93",
                lambda: v(1) + b"Q",
                lambda: b"P" + b"('storage', 1)\n",
                lambda: b"(" + name(*some) + v(1) + b"o",
                lambda: b"(" + v(1) + b"i" + some[0].encode() + b"\n" + some[1].encode() + b"\n",
                lambda: b"\x82" + bytes([r.randrange(256)]),
                lambda: b"\x84" + struct.pack("<i", r.choice([-1, 0, 5, 2**31 - 1])),
                lambda: b"\x96" + struct.pack("<Q", r.choice([0, 3, 2**20, 2**40, 2**62])),
                lambda: b"\x8e" + struct.pack("<Q", r.choice([2**20, 2**40, 2**63, 2**64 - 1])),
                lambda: b"\x8d" + struct.pack("<Q", r.choice([2**20, 2**40, 2**63])),
                lambda: b"\x95" + struct.pack("<Q", r.choice([0, 5, 2**20, 2**40, 2**63])),
                lambda: b"\x8b" + struct.pack("<i", r.choice([-1, -(2**31), 2**31 - 1, 2**20])),
                lambda: b"T" + struct.pack("<i", r.choice([-1, -(2**31), 2**31 - 1])),
                lambda: b"j" + struct.pack("<I", r.choice([2**31, 2**32 - 1])),
                lambda: v(1) + b"r" + struct.pack("<I", r.choice([2**20, 2**31, 2**32 - 1])),
                lambda: r.choice(
                    [
                        b"(",
                        b"0",
                        b"1",
                        b"2",
                        b"t",
                        b"e",
                        b"u",
                        b"\x94",
                        b"q\x00",
                        b"\x97",
                        b"\x98",
                        b"\x85",
                        b"\x86",
                        b"\x87",
                        b".",
                        b"a",
                        b"s",
                        b"b",
                        b"R",
                    ]
                ),
                lambda: b"\x80" + bytes([r.randrange(8)]),
                lambda: r.choice(
                    [
                        b"I01\n",
                        b"I5\n",
                        b"L5L\n",
                        b"F1.5\n",
                        b"S'a'\n",
                        b"Va\n",
                        b"g0\n",
                        b"p0\n",
                        b"l",
                        b"d",
                        b"(l",
                        b"(d",
                        b"L" + b"9" * 5000 + b"\n",
                    ]
                ),
                lambda: bytes([r.randrange(256)]),
            ]
        )()

    def maybe(self, right: bytes) -> bytes:
        """The right argument, or what should not be there."""
        if not self.wrong():
            return right
        return (
            self.r.choice([self.value, self.scalar, lambda: b"", self.impostor, self.tensor_of_ints])()
            if self.r.random() < 0.9
            else right + right
        )

    # ---- tensors
    def impostor(self) -> bytes:
        """An object with the attributes of a dtype and of a typed storage."""
        inner = (
            ORDERED + table(itemsize=integer(self.number()), code=integer(self.number()), name=text("float32")) + b"b"
        )
        return (
            ORDERED
            + table(
                itemsize=integer(self.number()),
                code=integer(self.number()),
                raw=self.pid("UntypedStorage")[0],
                dtype=inner,
            )
            + b"b"
        )

    def tensor_of_ints(self) -> bytes:
        pid, _, _ = self.pid("LongStorage")
        return call(name("torch._utils", "_rebuild_tensor_v2"), pid, integer(0), b")", b")", b"\x89", ORDERED)

    def pid(self, kind: str | None = None) -> tuple[bytes, str, Storage]:
        r = self.r
        fitting = [s for s in self.storages if kind is None or s.kind == kind]
        if fitting and r.random() < 0.5:
            s = r.choice(fitting)
        else:
            kind = kind or r.choice(list(KINDS))
            count = r.choice([0, 1, 2, 6, 24, 100])
            s = Storage(str(len(self.storages)), kind, count, count * KINDS.get(kind, 1))
            self.storages.append(s)
        one = self.maybe if r.random() < 0.3 else lambda right: right
        where = ("torch.storage", "UntypedStorage") if s.kind == "UntypedStorage" else ("torch", s.kind)
        if self.wrong() and r.random() < 0.3:
            where = ("torch", r.choice(list(KINDS)))
        key = (
            s.key
            if not (self.wrong() and r.random() < 0.3)
            else r.choice(["", "../data.pkl", "no", "0\x00", "/etc/passwd", "0/", "9" * 300])
        )
        count = s.count if not (self.wrong() and r.random() < 0.3) else r.choice(ODD_INTS)
        place = "cpu" if not (self.wrong() and r.random() < 0.3) else r.choice(["cuda:0", "meta", "", "nowhere"])
        body = pack(one(text("storage")), one(name(*where)), one(text(key)), one(text(place)), one(integer(count)))
        return body + b"Q", where[1], s

    def geometry(self, elements: int) -> tuple[int, list[int], list[int]]:
        """Offset, sizes and strides that fit, or, now and then, do not."""
        r = self.r
        sizes, strides, left = [], [], max(elements, 1)
        offset = r.randrange(left) if elements and r.random() < 0.4 else 0
        left -= offset
        for _ in range(r.randrange(4)):
            n = r.choice([0, 1, 1, 2, 3, 5]) if elements else 0
            s = r.randrange(4)
            if n > 1 and (n - 1) * s >= left:
                s = (left - 1) // (n - 1)
            left -= max(n - 1, 0) * s
            sizes.append(n)
            strides.append(s)
        if r.random() < 0.1:  # expanded without end: no memory is behind it
            sizes.append(r.choice([2**20, 2**31, 2**40]))
            strides.append(0)
        if self.wrong():
            which = r.choice([sizes, strides])
            if which:
                which[r.randrange(len(which))] = r.choice(ODD_INTS)
        if self.wrong() and r.random() < 0.3:
            offset = r.choice(ODD_INTS)
        if self.wrong() and r.random() < 0.1:
            sizes, strides = sizes * r.choice([20, 40]), strides * r.choice([20, 40])
        return offset, sizes, strides

    def tensor(self, depth: int = 2) -> bytes:
        r, one = self.r, self.maybe
        how = r.randrange(12)
        if how == 0:
            _, sizes, strides = self.geometry(100)
            return call(
                name("torch._utils", "_rebuild_meta_tensor_no_storage"),
                one(name("torch", r.choice(list(DTYPES)))),
                one(pack(*map(integer, sizes))),
                one(pack(*map(integer, strides))),
                one(r.choice([b"\x88", b"\x89"])),
            )
        if how == 1 and depth > 0:
            args = [one(self.tensor(depth - 1)), one(r.choice([b"\x88", b"\x89"])), one(ORDERED)]
            if r.random() < 0.5:
                return call(name("torch._utils", "_rebuild_parameter"), *args)
            return call(name("torch._utils", "_rebuild_parameter_with_state"), *args, one(self.state()))
        if how == 2:
            pid, _, s = self.pid("UntypedStorage")
            kind = r.choice(list(DTYPES))
            offset, sizes, strides = self.geometry(s.size // DTYPES[kind])
            return call(
                name("torch._utils", "_rebuild_tensor_v3"),
                one(pid),
                one(integer(offset)),
                one(pack(*map(integer, sizes))),
                one(pack(*map(integer, strides))),
                one(b"\x89"),
                one(ORDERED),
                one(name("torch", kind)),
            )
        pid, kind, s = self.pid()
        offset, sizes, strides = self.geometry(s.size // KINDS.get(kind, 1))
        parts = [one(pid), one(integer(offset)), one(pack(*map(integer, sizes))), one(pack(*map(integer, strides)))]
        if how == 3:
            return call(name("torch._utils", "_rebuild_tensor"), *parts)
        floats = kind.startswith(("Float", "Double", "Half", "BFloat", "Complex"))
        parts += [one(b"\x88" if floats and r.random() < 0.4 else b"\x89"), one(ORDERED)]
        if r.random() < 0.3:
            flag = (
                r.choice(TENSOR_FLAGS) if kind.startswith("Complex") or self.wrong() else "neg" if floats else "other"
            )
            parts.append(one(table(**{flag: r.choice([b"\x88", b"\x88", b"\x89"])})))
        if how in (4, 5):
            function = name("torch._utils", "_rebuild_tensor_v2") if not self.wrong() else name(*r.choice(GLOBALS))
            kind_of = name("torch", "Tensor") if not self.wrong() else name(*r.choice(GLOBALS))
            return call(
                name("torch._tensor", "_rebuild_from_type_v2"), function, kind_of, one(pack(*parts)), one(self.state())
            )
        return call(name("torch._utils", "_rebuild_tensor_v2"), *parts)

    def state(self) -> bytes:
        r = self.r
        if not self.odd or r.random() < 0.6:
            return table(note=self.value(1)) if r.random() < 0.7 else b"N"
        attributes = table(**{r.choice(NAMES): self.value(1) for _ in range(r.randrange(3))})
        return r.choice(
            [
                attributes,
                b"N" + attributes + b"\x86",
                attributes + attributes + b"\x86",
                b"}" + self.value(1) + b"Ns",
                self.value(1),
                attributes + b"\x85",
            ]
        )

    def attack(self) -> bytes:
        """A sound call with one argument that passes for what it is not, or a state with one attribute that is not the
        file's to set.
        """
        r = self.r
        small = [integer(n) for n in (0, 1, 2)]
        fake = [
            self.impostor,
            self.impostor,
            self.impostor,
            self.tensor_of_ints,
            self.tensor_of_ints,
            lambda: integer(r.choice(ODD_INTS)),
            lambda: r.choice([b"\x88", b"N", b")", text("float32")]),
            lambda: pack(self.tensor_of_ints()),
        ]
        typed, untyped = (
            self.pid(r.choice(["DoubleStorage", "FloatStorage", "LongStorage"]))[0],
            self.pid("UntypedStorage")[0],
        )

        def place() -> list[bytes]:
            """An offset, a size and a stride."""
            return [r.choice(small), pack(r.choice(small)), pack(integer(1))]

        calls = {
            "_rebuild_tensor_v2": [typed, *place(), b"\x89", ORDERED, b"N"],
            "_rebuild_tensor_v3": [untyped, *place(), b"\x89", ORDERED, name("torch", "float32")],
            "_rebuild_tensor": [typed, *place()],
            "_rebuild_meta_tensor_no_storage": [name("torch", "float32"), pack(integer(3)), pack(integer(1)), b"\x88"],
        }
        which = r.choice(list(calls))
        args = calls[which]
        if r.random() < 0.6:
            args[r.choice([0, 1, -1, r.randrange(len(args))])] = r.choice(fake)()
            return call(name("torch._utils", which), *args)
        attribute = table(
            **{
                r.choice([*NAMES, *["grad_fn_", "output_nr", "keys"] * 6]): r.choice(
                    [text("boo"), integer(r.choice([2, 4, 8, 77, 255])), b"G" + bytes(8), b"}", self.tensor(0)]
                )
            }
        )
        grad = self.pid("DoubleStorage")[0]
        sound = [grad, integer(0), pack(integer(1)), pack(integer(1)), r.choice([b"\x88", b"\x89"]), ORDERED]
        if r.random() < 0.3:
            return call(
                name("torch._utils", "_rebuild_parameter_with_state"),
                call(name("torch._utils", "_rebuild_tensor_v2"), *sound),
                b"\x88",
                ORDERED,
                attribute,
            )
        return call(
            name("torch._tensor", "_rebuild_from_type_v2"),
            name("torch._utils", "_rebuild_tensor_v2"),
            name("torch", "Tensor"),
            pack(*sound),
            r.choice([attribute, b"N" + attribute + b"\x86"]),
        )

    def bomb(self) -> bytes:
        """A few bytes that would be much, or take long."""
        r = self.r
        n = r.choice([30, 60, 200])
        doubled = b"K\x01\x85q\x00" + b"".join(b"h\x00h\x00\x86q\x00" for _ in range(n))
        encode = name("_codecs", "encode")
        hexed = text("ab")
        for _ in range(r.choice([5, 20, 40])):
            hexed = (
                call(encode, call(encode, hexed, text("hex")), text("latin1"))
                if r.random() < 0.5
                else call(encode, hexed, text(r.choice(["hex", "utf-32", "unicode_escape"])))
            )
        complex_storage = Storage(str(len(self.storages)), "ComplexFloatStorage", 2000, 16000)
        self.storages.append(complex_storage)
        wide = (
            pack(
                text("storage"),
                name("torch", "ComplexFloatStorage"),
                text(complex_storage.key),
                text("cpu"),
                integer(2000),
            )
            + b"Q"
        )
        view = [integer(0), pack(integer(2**30)), pack(integer(0)), b"\x89", ORDERED, table(conj=b"\x88")]
        many = text("x" * 20000) + b"q\x01"
        return r.choice(
            [
                lambda: doubled,
                lambda: b"}" + doubled + b"Ns",  # hashing it takes 2**n steps
                lambda: b"\x8f(" + doubled + b"\x90",
                lambda: b"}" + b")" + b"\x85" * 100000 + b"Ns",  # hashing it overflows the C stack
                lambda: b"(" + b")" + b"\x85" * 100000 + b"\x91",
                lambda: b"]" * 50000 + b"a" * 49999,
                lambda: b")" + b"\x85" * 100000 + b"Q",  # into messages
                lambda: doubled + b")R",
                lambda: call(name("torch", "Size"), doubled),
                lambda: call(name("torch", "device"), doubled),
                lambda: hexed,
                lambda: call(name("builtins", "bytearray"), integer(r.choice([2**28, 2**33, 2**62]))),
                lambda: (
                    many
                    + b"0]("
                    + b"".join(call(name("builtins", "bytearray"), b"h\x01", text("latin1")) for _ in range(2000))
                    + b"e"
                ),
                lambda: many + b"0](" + b"".join(call(encode, b"h\x01", text("latin1")) for _ in range(2000)) + b"e",
                lambda: (
                    b"]("
                    + b"K\x01" * 10000
                    + b"eq\x01]("
                    + b"".join(call(name("builtins", "set"), b"h\x01") for _ in range(1000))
                    + b"e"
                ),
                lambda: (
                    b"("
                    + b"K\x01" * 10000
                    + b"tq\x01]("
                    + b"".join(call(name("torch", "Size"), b"h\x01") for _ in range(2000))
                    + b"e"
                ),
                lambda: (
                    b"}("
                    + b"".join(integer(i) + b"N" for i in range(3000))
                    + b"uq\x01]("
                    + b"".join(call(name("collections", "Counter"), b"h\x01") for _ in range(1000))
                    + b"e"
                ),
                lambda: call(
                    name("torch._utils", "_rebuild_tensor_v2"), wide, *view
                ),  # its conjugate, element by element
                lambda: (
                    b"]("
                    + b"".join(
                        call(
                            name("torch._utils", "_rebuild_tensor_v2"),
                            wide,
                            integer(0),
                            pack(integer(2000)),
                            pack(integer(1)),
                            *view[3:],
                        )
                        for _ in range(3000)
                    )
                    + b"e"
                ),
                lambda: (
                    integer(2**200000 - 1) + b"q\x01}(" + b"h\x01N" * 40000 + b"u"
                ),  # a long key hashed again and again
                lambda: call(name("collections", "OrderedDict"), doubled),
            ]
        )()

    def pickled(self) -> bytes:
        r = self.r
        kind = r.random()
        body = (
            self.bomb() if kind < 0.06 else self.attack() if self.odd and kind < 0.25 else self.value(r.randrange(2, 5))
        )
        head = (
            b"\x80\x02"
            if not self.wrong()
            else r.choice(
                [b"", b"\x80\x04", b"\x80\x05", b"\x80\xff", b"\x80\x04\x95" + struct.pack("<Q", len(body) + 1)]
            )
        )
        data = head + body + (b"." if not (self.wrong() and r.random() < 0.3) else b"")
        if self.odd and r.random() < 0.08:
            changed = bytearray(data)
            for _ in range(r.randrange(1, 4)):
                changed[r.randrange(len(changed))] = r.randrange(256)
            data = bytes(changed)
        return data if r.random() > 0.03 * (self.odd > 0) else data[: r.randrange(len(data) + 1)]


def draw(r: random.Random) -> bytes:
    """One file."""
    sound = r.random() < 0.3
    grammar = Grammar(r, 0.0 if sound else r.choice([0.0, 0.02, 0.05, 0.1, 0.3]))
    pickled = grammar.pickled()
    faults = 0 if sound or (grammar.odd and r.random() < 0.7) else r.choice([1, 1, 2, 3])
    data = archive(r, pickled, grammar.storages, faults)
    if sound:
        return data
    if r.random() < 0.04:
        data = data[: r.randrange(len(data))]
    if r.random() < 0.04:
        changed = bytearray(data)
        for _ in range(r.randrange(1, 5)):
            changed[r.randrange(len(changed))] = r.randrange(256)
        data = bytes(changed)
    if r.random() < 0.02:
        data = r.choice([b"PK", b"PK\x03\x04", b"junk" * 10]) + data
    return data + (bytes(r.randrange(100)) if r.random() < 0.02 else b"")
