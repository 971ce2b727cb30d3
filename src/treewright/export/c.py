"""A flat program as one C99 file: tables, and the loops of ``predictor_*.c`` over them; nothing nests with the depth."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from treewright.errors import shown
from treewright.export.carried import carried
from treewright.export.labels import Label
from treewright.export.portable import offsets
from treewright.export.program import ANSWER, Answer, Program, Ramp, Sigmoid, Term
from treewright.model.few import Few
from treewright.model.linear import Part

_MANY = 1 << 30  # added to the column of a node that has not exactly one cut
_RESERVED = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool catch class delete explicit "
    "export false friend mutable namespace new operator private protected public template this throw true try typeid typename "
    "using virtual"
)  # of C and of C++
_HEAD = """\
/* Written by treewright. C99, needs nothing but the standard library.

   A row is COLUMNS numbers, in the order of model_column: NAN is missing, dates are microseconds since 1970 (UTC), durations
   microseconds, booleans 0 and 1, levels what model_level gives for their text in UTF-8, or model_level_number for numbers.
   Infinite numbers, and cells the model refuses, have no answer: {none}.

{predict}{leaf}{more}*/
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
"""
_ONE = """\
   {answer} model_predict(const double *row);
   void model_predict_many(const double *rows, size_t n, {answer} *answers);   rows one after another
"""
_SEVERAL = """\
   int32_t model_predict(const double *row, double *numbers);              a number for each of model_output; -1: no answer
   void model_predict_many(const double *rows, size_t n, double *numbers); rows one after another, and their numbers
"""
_LEAF = """\
   int32_t model_leaf(const double *row);                                  the leaf, -1: no answer
"""
_LEAVES = """\
   int32_t model_leaf(const double *row, int32_t *leaves);                 the leaf of every member; -1: one has no answer
"""
_SHARES = """\
   int32_t model_predict_proba(const double *row, double *shares);         a share for each of model_class; -1: no answer
"""
_LEVELS = """\
   double model_level(int32_t column, const char *text, size_t length);
"""
_NUMBERS = """\
   double model_level_number(int32_t column, double value);
"""
_TYPES = """\
typedef {answer} model_answer;
typedef {said} model_said; /* what ends say */
typedef struct {{
  double cut;       /* x <= cut goes to to[0] */
  int32_t column;   /* ANSWER: to[0] is the number of the answer; MANY and more: to[0] is where cuts begin, to[1] their number */
  int32_t to[3];    /* the last is for missing cells */
}} model_node;
#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) ((void)(place))
#endif
"""


def c_source(program: Program, name: str = "tree") -> str:
    """Write a program as one C99 file whose public names begin with ``name``."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name={shown(name)} is not allowed: it must be letters, digits and _, and not begin with a digit")
    if name in _RESERVED.split() or re.match(r"_[A-Z_]", name):
        raise ValueError(f"name={shown(name)} is not allowed: it is a word of C, or kept for compilers; choose another")
    program.refuse_divided("C")
    writer = _Writer(program)
    needs = (
        ["rejoins"] * program.rejoins
        + ["derived"] * bool(program.derived)
        + ["products"] * bool(program.factors)
        + ["parts"] * program.parted
        + ["members"] * bool(program.members)
    )
    needs += ["listed"] * program.listed
    files = ("walk", "divided", "answers", "members" if program.members else "many", "levels")
    loops = "".join(carried(f"predictor_{about}.c", needs) for about in files)
    text = "\n".join([writer.head(), *writer.tables(), loops])
    return re.sub(r"\bmodel_(?=[a-z])", f"{name}_", text)


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.classes = program.classes
        self.texts = [(j, code, _bytes(label)) for j, code, label in self._labels() if label.tag in "tw"]
        self.numbers = [(j, code, float(label.value)) for j, code, label in self._labels() if label.tag not in "tw"]

    def _labels(self) -> Iterator[tuple[int, int, Label]]:
        for j, one in enumerate(self.program.inputs):
            for code, label in one.labels:
                yield j, code, label

    def head(self) -> str:
        answer, none = ("int32_t", "-1") if self.classes is not None else ("double", "NAN")
        more = (_SHARES if self.classes is not None else "") + _LEVELS * bool(self.texts) + _NUMBERS * bool(self.numbers)
        predict = _SEVERAL if self.program.outputs else _ONE.format(answer=answer)
        leaf = _LEAVES if self.program.members else _LEAF
        return (
            _HEAD.format(predict=predict, leaf=leaf, none=none, more=more)
            + "\n"
            + self._switches()
            + _TYPES.format(answer=answer, said="int32_t" if self.program.labelled else "double")
        )

    def _switches(self) -> str:
        p = self.program
        switches = {
            "ANSWER": "(-1)",
            "REFUSED": "(-1)",
            "SPREAD": "(-2)",
            "MANY": _MANY,
            "COLUMNS": len(p.inputs),
            "CLASSES": int(self.classes is not None),
            "VALUES": len(p.order) if p.labelled and not p.scores else len(p.answers[0].values),
            "SHARES": len(p.order),
            "SQUASHED": int(any(part.squashed for one in p.derived for part in one.parts)),
            "SCORES": int(p.scores),
            "BOUNDED": int(p.bounded),
            "SEVERAL": int(bool(p.outputs)),
            "LABELLED": int(p.labelled),
            "NO_ANSWER": "REFUSED" if self.classes is not None else "NAN",
            "NOT_SAID": "REFUSED" if p.labelled else "NAN",
            "SPREADS": int(p.spreads),
            "HAS_WAYS": int(bool(p.ways)),
            "HAS_MANY": int(any(self._many(i) for i in range(p.size))),
            "SOFT": int(bool(p.soft)),
            "SIGMOIDS": int(p.sigmoids),
            "IN_TURN": int(p.in_turn),
            "RULES": len(p.rules),
            "LAST": p.size - 1,
            "ROOM": p.max_fractions,
            "TOLERANCE": p.tolerance,
            "TURN(node)": "model_turn[node]" if p.soft else "(node)",
            "LINEAR": int(p.linear),
            "TEXT_LEVELS": int(bool(self.texts)),
            "NUMBER_LEVELS": int(bool(self.numbers)),
            "UNSEEN_MISSING": "NAN",
            # What of one leaf, or of a member, is asked for: all its shares or numbers, or its one answer.
            "GIVES_VALUES": int(not p.adds and ((p.labelled and p.combine != "vote") or bool(p.outputs))),
            "GIVES_ONE": int(self._gives_one()),
        }
        if p.members:
            combined = {"VOTES": int(p.combine == "vote"), "MEDIAN": int(p.combine == "median"), "WEIGHT": repr(p.weight)}
            switches |= {"MEMBERS": len(p.members), **combined}
        switches |= {"ADDS": int(p.adds), "SUMS": p.sums, "SHARED": int(p.link == "shares"), "POWERS": int(p.link == "exp")}
        return "".join(f"#define {name} {value}\n" for name, value in switches.items()) + "\n"

    def _gives_one(self) -> bool:
        p = self.program
        return p.adds or (not p.outputs and (self.classes is None or p.combine != "mean"))

    def _many(self, node: int) -> bool:
        """Whether a node needs its own list of cuts."""
        p = self.program
        return p.column[node] != ANSWER and len(p.to[node]) > 2

    def tables(self) -> Iterator[str]:
        p = self.program
        yield from self._nodes()
        if p.members:
            members = (f"{{{one.weight!r}, {one.root}, {int(one.soft)}, {one.score}}}" for one in p.members)
            yield _table("struct { double weight; int32_t root; int soft; int32_t score; }", "model_members", members, per_line=8)
        if p.adds:
            yield _table("double", "model_base", map(repr, p.base))
        if p.ways:
            begin = offsets(len(p.ways.get(i, ())) for i in range(p.size))
            ways = (f"{{{to}, {share!r}}}" for i in sorted(p.ways) for to, share in p.ways[i])
            yield _table("int32_t", "model_way_begin", begin)
            yield _table("struct { int32_t node; double share; }", "model_ways", ways)
        if p.soft:
            yield from self._ramps()
        if p.in_turn:
            spans = (f"{{{first}, {answer}}}" for first, answer in p.rules)
            yield _table("struct { int32_t first, answer; }", "model_rules", spans)
        if not p.labelled:
            yield _table("double", "model_answers", (_list(map(repr, one.values)) for one in p.answers), dims="[][VALUES]")
            if p.outputs:
                yield from self._names("model_output", [output.encode() for output in p.outputs])
            if self.classes is not None:
                yield _table("int32_t", "model_order", p.order)
                yield from self._declared()
                yield from self._names("model_class", [_bytes(self.classes[k]) for k in p.order])
        elif p.scores:
            yield from self._scores()
        else:
            yield from self._shares()
        if p.linear or p.derived:
            yield _TERM
        if p.linear:
            yield from self._terms()
        if p.derived:
            yield from self._derived()
        yield from self._names("model_column", [one.name.encode() for one in p.inputs])
        if self.texts or self.numbers:
            yield from self._levels()

    def _terms(self) -> Iterator[str]:
        answers = self.program.answers
        lists = [answer.terms_of(k) for answer in answers for k in range(len(answer.values))]
        yield _table("int32_t", "model_term_begin", offsets(map(len, lists)))
        yield from _term_table("model_terms", "model_term_levels", lists)

    def _derived(self) -> Iterator[str]:
        derived = self.program.derived
        # The sums of all numbers one after another: of those in parts several.
        sums = [(constant, int(one.needs_all), len(terms)) for one in derived for constant, terms in one.sums()]
        begin = offsets(n for _, _, n in sums)
        rows = (
            f"{{{constant!r}, {needs_all}, {first}, {last}}}"
            for (constant, needs_all, _), first, last in zip(sums, begin[:-1], begin[1:], strict=True)
        )
        yield _table("struct { double intercept; int32_t needs_all, first, last; }", "model_derived", rows, per_line=4)
        if self.program.parted:
            ends = offsets(len(one.parts) or 1 for one in derived)
            yield _table("int32_t", "model_sum_begin", ends)
            plain = [Part(0, 0, False, 1.0, 0.0)]
            parts = (f"{{{p.weight!r}, {p.score}, {int(p.squashed)}}}" for one in derived for p in one.parts or plain)
            yield _table("struct { double weight; int32_t score, squashed; }", "model_parts", parts, per_line=4)
        yield from _term_table("model_derived_terms", "model_derived_levels", [one.terms for one in derived])
        if self.program.factors:
            by = (f"{{{term.by}, {term.by_missing!r}}}" for one in derived for term in one.terms)
            yield _table("struct { int32_t column; double missing; }", "model_derived_by", by)

    def _nodes(self) -> Iterator[str]:
        p = self.program
        cuts: list[str] = []
        jumps: list[int] = []
        nodes: list[str] = []
        for i in range(p.size):
            column, at, to = p.column[i], p.cuts[i], p.to[i]
            # x < cut is x <= the number before it.
            below = [math.nextafter(cut, -math.inf) for cut in at] if p.less[i] else at
            if column == ANSWER:
                nodes.append(f"{{0, ANSWER, {{{p.answer[i]}, 0, REFUSED}}}}")
            elif self._many(i):
                nodes.append(f"{{0, MANY + {column}, {{{len(cuts)}, {len(at)}, {p.missing[i]}}}}}")
                cuts += [repr(cut) for cut in below] + ["0"]
                jumps += to
            else:
                nodes.append(f"{{{below[0] if below else 0.0!r}, {column}, {{{to[0]}, {to[-1]}, {p.missing[i]}}}}}")
        yield _table("model_node", "model_nodes", nodes, per_line=4)
        if cuts:
            yield _table("double", "model_cuts", cuts)
            yield _table("int32_t", "model_jumps", jumps)

    def _ramps(self) -> Iterator[str]:
        p = self.program
        place = {node: k for k, node in enumerate(p.soft)}
        ramps = map(_ramp, p.soft.values())
        yield "typedef struct { int points; double at[4], share[4], slope[3], fill; } model_ramp;"
        yield _table("int32_t", "model_soft", (place.get(i, -1) for i in range(p.size)))
        yield _table("model_ramp", "model_ramps", ramps, per_line=1)
        yield _table("int32_t", "model_turn", p.turn)

    def _shares(self) -> Iterator[str]:
        p, order = self.program, self.program.order
        assert self.classes is not None
        place = {k: at for at, k in enumerate(order)}
        if p.listed:
            lists = [[(place[k], share) for k, share in _few(answer) if k in place] for answer in p.answers]
            shares = (f"{{{at}, {share!r}}}" for each in lists for at, share in each)
            yield _table("int32_t", "model_share_begin", offsets(map(len, lists)))
            yield _table("struct { int32_t place; double share; }", "model_shares", shares)
        elif p.spreads or p.combine != "vote":
            rows = (_list(repr(answer.values[k]) for k in order) for answer in p.answers)
            yield _table("double", "model_answers", rows, dims="[][VALUES]", per_line=1)
        if self._gives_one():
            yield _table("int32_t", "model_labels", (place[answer.label] for answer in p.answers))
        if p.spreads or p.members:
            yield from self._declared()
        yield from self._names("model_class", [_bytes(self.classes[k]) for k in order])

    def _scores(self) -> Iterator[str]:
        p, classes = self.program, self.classes
        assert classes is not None
        yield _table(
            "double", "model_answers", (_list(map(repr, one.values)) for one in p.answers), dims="[][VALUES]", per_line=1
        )
        yield _table("int32_t", "model_order", p.order)
        if p.members:
            yield from self._declared()
        yield from self._names("model_class", [_bytes(classes[k]) for k in p.order])

    def _declared(self) -> Iterator[str]:
        """Where the classes stand among those that are given, in the order in which they were declared."""
        place = {k: at for at, k in enumerate(self.program.order)}
        yield _table("int32_t", "model_declared", (place[k] for k in range(len(self.classes or ())) if k in place))

    def _names(self, table: str, names: list[bytes]) -> Iterator[str]:
        long, entries = _texts(table, names)
        yield from long
        yield f"const char *const {table}[] = {{{', '.join(entries)}}};"
        yield f"const size_t {table}_length[] = {_list(map(str, map(len, names)))};"

    def _levels(self) -> Iterator[str]:
        columns = range(len(self.program.inputs))
        yield _table("double", "model_unseen", ("INFINITY" if one.strict else "NAN" for one in self.program.inputs))
        if self.texts:
            texts = sorted(self.texts, key=lambda entry: (entry[0], entry[2]))
            long, entries = _texts("model_level_text", [text for _, _, text in texts])
            yield from long
            yield "typedef struct { const char *bytes; size_t length; double code; } model_text;"
            levels = (f"{{{entry}, {len(text)}, {code}}}" for entry, (_, code, text) in zip(entries, texts, strict=True))
            yield _table("model_text", "model_texts", levels, per_line=4)
            yield _table("size_t", "model_text_begin", offsets(sum(j == column for j, _, _ in texts) for column in columns))
        if self.numbers:
            numbers = (f"{{{value!r}, {code}}}" for _, code, value in self.numbers)
            yield _table("struct { double value; double code; }", "model_numbers", numbers)
            counts = (sum(j == column for j, _, _ in self.numbers) for column in columns)
            yield _table("size_t", "model_number_begin", offsets(counts))


def _ramp(gate: Ramp | Sigmoid) -> str:
    """A gate; of the logistic function one point and no shares."""
    fill = "NAN" if gate.fill is None else repr(gate.fill)
    if isinstance(gate, Sigmoid):
        return f"{{0, {{{gate.at!r}}}, {{0}}, {{{gate.slope!r}}}, {fill}}}"
    return (
        f"{{{len(gate.at)}, {_list(map(repr, gate.at))}, {_list(map(repr, gate.share))}, {_list(map(repr, gate.slope))}, {fill}}}"
    )


_TERM = "typedef struct { double coefficient, missing; int32_t column, listed, first, last; } model_term;"


def _term_table(name: str, levels: str, lists: Sequence[Sequence[Term]]) -> Iterator[str]:
    """The terms of some sums one after another, and the levels they list."""
    terms = [term for each in lists for term in each]
    begin = offsets(len(term.codes or ()) for term in terms)
    rows = (
        f"{{{term.coefficient!r}, {term.missing!r}, {term.column}, {int(term.codes is not None)}, {first}, {last}}}"
        for term, first, last in zip(terms, begin[:-1], begin[1:], strict=True)
    )
    yield _table("model_term", name, rows, per_line=2)
    yield _table("double", levels, [*(code for term in terms for code in term.codes or ()), 0])


def _few(answer: Answer) -> Iterable[tuple[int, float]]:
    """The classes whose shares are not 0, with these."""
    values = answer.values
    assert isinstance(values, Few)
    return zip(values.places, values.values, strict=True)


def _bytes(label: Label) -> bytes:
    """A label as text."""
    return str(label.value).encode()


_LITERAL = 4000  # bytes a C99 compiler must take in one literal, with room to spare


def _texts(table: str, names: list[bytes]) -> tuple[list[str], list[str]]:
    """C expressions for texts, and tables for those that are too long for a literal."""
    long, entries = [], []
    for k, name in enumerate(names):
        if len(name) <= _LITERAL:
            entries.append(_quoted(name))
        else:
            entries.append(f"{table}_{k}")
            long.append(_table("char", entries[-1], [f"'\\{byte:03o}'" for byte in [*name, 0]]))
    return long, entries


def _quoted(text: bytes) -> str:
    # Octal escapes end after three digits; ? could begin a trigraph.
    plain = b'"\\?'
    quoted = '"' + "".join(chr(b) if 32 <= b < 127 and b not in plain else f"\\{b:03o}" for b in text) + '"'
    # What begins with model_ is renamed in code, and must not be here.
    return quoted.replace("model_", "model\\137")


def _list(entries: Iterable[str]) -> str:
    return "{" + ", ".join(entries) + "}"


def _table(kind: str, name: str, entries: Iterable[object], dims: str = "[]", per_line: int = 16) -> str:
    """A constant table, so many entries per line."""
    found = list(map(str, entries))
    lines = [", ".join(found[at : at + per_line]) for at in range(0, len(found), per_line)]
    return f"static const {kind} {name}{dims} = {{\n  " + ",\n  ".join(lines) + "};"
