"""Vertex classes in a source: what tree-sitter sees of them.

Only names are taken from the text: of classes, bases, fields, explicit instantiations. Everything about types is left
to the compiler, which is why too many names do no harm: one that a class turns out not to have is skipped there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_cpp

from dace_ipu.simulator.popc.errors import Place, SourceError
from dace_ipu.simulator.popc.preprocess import Translation

__all__ = ["Assembly", "Field", "Parsed", "Vertex", "parse"]

Node = tree_sitter.Node

_VERTEX_BASES = {"Vertex", "MultiVertex", "SupervisorVertex", "SupervisorVertexIf", "MultiVertexIf"}
_CLASSES = ("class_specifier", "struct_specifier")
_UNNAMED = ("union_specifier", "struct_specifier", "class_specifier")
_COMPUTE = "compute"


@dataclass(frozen=True)
class Field:
    """A data member. ``type`` is its type as written, for messages."""

    name: str
    type: str
    place: Place


@dataclass(frozen=True)
class Vertex:
    """A class, or an instantiation of a class template, that may be a vertex.

    ``scope`` are the namespaces it is named in ('' for an unnamed one), ``spelling`` is its name there, ``name`` the
    whole name as ``graph.addVertex`` takes it. ``fields`` may hold names that this instantiation does not have.
    """

    scope: tuple[str, ...]
    spelling: str
    name: str
    fields: tuple[Field, ...]
    place: Place
    has_body: bool
    is_base: bool


@dataclass(frozen=True)
class Assembly:
    """The text of an ``asm`` statement: rows and columns (in bytes) of its string, first and past the last."""

    start: tuple[int, int]
    end: tuple[int, int]
    place: Place


@dataclass(frozen=True)
class Parsed:
    """What popc wants to know of a translation unit, in the order of the text."""

    vertices: tuple[Vertex, ...]
    assembly: tuple[Assembly, ...]


@dataclass
class _Class:
    """A class definition, or one of the specialisations of a template."""

    scope: tuple[str, ...]
    spelling: str  # "Foo", "Outer::Foo", or "Foo<float>" for a specialisation
    place: Place
    bases: list[str]  # simple names
    is_template: bool
    fields: list[Field] = field(default_factory=list)
    has_body: bool = False  # of compute()

    @property
    def simple(self) -> str:
        return _simple(self.spelling)


@dataclass
class _Source:
    """The classes of a translation unit, before it is known which of them are vertices."""

    classes: list[_Class] = field(default_factory=list)
    instantiations: list[_Class] = field(default_factory=list)
    bodies: set[str] = field(default_factory=set)  # simple names of classes whose compute() is defined outside


def parse(translation: Translation) -> Parsed:
    """Return the classes that may be vertices, and assembly. Raises :class:`SourceError`."""
    root = _parser().parse(translation.user_text.encode()).root_node
    walk = _Walk(translation)
    walk.declarations(root, ())
    if walk.findings:
        raise SourceError(walk.findings)
    return Parsed(tuple(_vertices(walk.source)), tuple(_assembly(root, translation)))


@functools.cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


class _Walk:
    """Collects classes from a syntax tree."""

    def __init__(self, translation: Translation) -> None:
        self.source = _Source()
        self.findings: list[tuple[Place, str]] = []
        self._translation = translation

    def declarations(self, node: Node, scope: tuple[str, ...], is_template: bool = False) -> None:
        """Look through the declarations in ``node``, which is in the namespaces ``scope``."""
        for child in node.named_children:
            if child.type == "namespace_definition":
                self._namespace(child, scope)
            elif child.type == "template_instantiation":
                self._instantiation(child, scope)
            elif child.type == "template_declaration":
                parameters = child.child_by_field_name("parameters")
                self.declarations(child, scope, parameters is not None and parameters.named_child_count > 0)
            elif child.type in _CLASSES:
                self._class(child, scope, "", is_template)
            elif child.type == "function_definition":
                self._function(child)
            elif child.type in ("linkage_specification", "declaration_list", "declaration"):
                self.declarations(child, scope, is_template)

    def _namespace(self, node: Node, scope: tuple[str, ...]) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        inner = (*scope, *(_text(name).replace(" ", "").split("::") if name else [""]))
        if body is not None:
            self.declarations(body, inner)

    def _instantiation(self, node: Node, scope: tuple[str, ...]) -> None:
        specifier = node.child_by_field_name("type")
        name = specifier.child_by_field_name("name") if specifier else None
        if specifier is not None and specifier.type in _CLASSES and name is not None:
            self.source.instantiations.append(_Class(scope, _text(name), self._place(node), [], is_template=False))

    def _function(self, node: Node) -> None:
        """Note the class of ``bool Foo<T>::compute() {...}``."""
        name = _declared_name(node.child_by_field_name("declarator"))
        if name.endswith("::" + _COMPUTE):
            self.source.bodies.add(_simple(name.removesuffix("::" + _COMPUTE)))

    def _class(self, node: Node, scope: tuple[str, ...], outer: str, is_template: bool) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        bases = next((child for child in node.children if child.type == "base_class_clause"), None)
        cls = _Class(scope, outer + _text(name), self._place(name), list(_base_names(bases)), is_template)
        self.source.classes.append(cls)
        for member in body.named_children:
            self._member(member, cls)

    def _member(self, node: Node, cls: _Class) -> None:
        if node.type == "field_declaration":
            self._field_declaration(node, cls)
        elif node.type == "function_definition":
            cls.has_body |= _declared_name(node.child_by_field_name("declarator")) == _COMPUTE

    def _field_declaration(self, node: Node, cls: _Class) -> None:
        type_ = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        if type_ is not None and type_.type in _CLASSES and not cls.is_template:
            self._class(type_, cls.scope, cls.spelling + "::", is_template=False)
        if any(child.type == "storage_class_specifier" and _text(child) == "static" for child in node.children):
            return
        if type_ is not None and not declarators and type_.type in _UNNAMED and not type_.child_by_field_name("name"):
            self._unsupported(node, cls, "(unnamed)", _text(type_).split("{")[0].strip())
        written = " ".join(_text(child) for child in node.children if child.type == "type_qualifier" or child == type_)
        for declarator in declarators:
            self._field(declarator, cls, _one_line(written))
        if any(child.type == "bitfield_clause" for child in node.children):
            self._unsupported(node, cls, _declared_name(declarators[0]), "bit-field")

    def _field(self, node: Node, cls: _Class, written: str) -> None:
        if _is_function(node):
            return
        name = _declared_name(node)
        suffix = _one_line(_text(node).replace(name, "", 1))
        cls.fields.append(Field(name, f"{written} {suffix}".strip(), self._place(node)))

    def _unsupported(self, node: Node, cls: _Class, name: str, type_: str) -> None:
        # Only of classes that can be vertices at all; helpers may hold what they like.
        if any(base in _VERTEX_BASES for base in cls.bases):
            message = f"Field '{cls.spelling}.{name}' has unsupported field type '{type_}'"
            self.findings.append((self._place(node), message))

    def _place(self, node: Node) -> Place:
        return self._translation.place(node.start_point[0])


# ----------------------------------------------------------------------------------------------------------------------
# From classes to vertices


def _vertices(source: _Source) -> Iterator[Vertex]:
    by_name: dict[str, list[_Class]] = {}
    for cls in source.classes:
        by_name.setdefault(cls.simple, []).append(cls)
    bases = {base for cls in source.classes for base in cls.bases}
    seen: set[str] = set()
    for cls in [*(cls for cls in source.classes if not cls.is_template), *source.instantiations]:
        family = list(_family(cls.simple, by_name))
        name = _poplar_name(cls)
        if name in seen or not _may_be_vertex(family, by_name):
            continue
        seen.add(name)
        yield Vertex(
            cls.scope,
            cls.spelling,
            name,
            _fields(family),
            cls.place,
            has_body=any(member.has_body or member.simple in source.bodies for member in family),
            is_base=cls.simple in bases,
        )


def _family(simple: str, by_name: dict[str, list[_Class]], seen: tuple[str, ...] = ()) -> Iterator[_Class]:
    """Yield the classes of that name and all their bases, bases first."""
    if simple in seen:
        return
    classes = by_name.get(simple, [])
    for base in dict.fromkeys(base for cls in classes for base in cls.bases):
        yield from _family(base, by_name, (*seen, simple))
    yield from classes


def _may_be_vertex(family: Iterable[_Class], by_name: dict[str, list[_Class]]) -> bool:
    """Whether a base is a vertex, or is not known (an alias, a template parameter): then the compiler decides."""
    return any(base not in by_name for cls in family for base in cls.bases)


def _fields(family: Iterable[_Class]) -> tuple[Field, ...]:
    """Return the fields of all classes, each name once."""
    return tuple({member.name: member for cls in family for member in cls.fields}.values())


def _poplar_name(cls: _Class) -> str:
    """Return the name as the source spells it, without spaces and with the types as Poplar spells them."""
    spelling = re.sub(r"\s+", " ", cls.spelling)
    spelling = re.sub(r" ?([<>,:]) ?", r"\1", spelling)
    spelling = re.sub(r"\bunsigned\b(?! (int|char|short|long))", "unsigned int", spelling)
    if "::" in spelling.partition("<")[0]:
        return spelling.removeprefix("::")  # instantiated by its qualified name
    return "::".join([*(part for part in cls.scope if part), spelling])


def _simple(name: str) -> str:
    """``Foo`` of ``ns::Foo<float>``."""
    return name.partition("<")[0].rpartition("::")[2].strip()


# ----------------------------------------------------------------------------------------------------------------------
# Nodes of the grammar


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _base_names(clause: Node | None) -> Iterator[str]:
    for child in clause.named_children if clause is not None else ():
        if child.type in ("type_identifier", "template_type", "qualified_identifier"):
            yield _simple(_text(child))


def _declared_name(node: Node | None) -> str:
    """Return the name in a declarator: ``f`` of ``*f[4]``, ``Foo<T>::compute`` of ``Foo<T>::compute()``."""
    while node is not None:
        if node.type in ("identifier", "field_identifier", "qualified_identifier"):
            return _one_line(_text(node))
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else (node.named_children[-1] if node.named_children else None)
    return ""


def _is_function(node: Node) -> bool:
    """Whether a declarator declares a function (and not a pointer to one)."""
    inner: Node | None = node
    while inner is not None:
        if inner.type == "function_declarator":
            declared = inner.child_by_field_name("declarator")
            return declared is None or declared.type != "parenthesized_declarator"
        inner = inner.child_by_field_name("declarator")
    return False


def _assembly(root: Node, translation: Translation) -> Iterator[Assembly]:
    """Yield the ``asm`` statements whose text is not empty; an empty one only stops the optimiser."""
    for statement in _descendants(root, "gnu_asm_expression"):
        code = statement.child_by_field_name("assembly_code")
        if code is not None and re.search(r"\w", _text(code).strip("R")):
            start, end = code.start_point, code.end_point
            yield Assembly(
                (start.row, start.column), (end.row, end.column), translation.place(statement.start_point.row)
            )


def _descendants(node: Node, kind: str) -> Iterator[Node]:
    if node.type == kind:
        yield node
    for child in node.named_children:
        yield from _descendants(child, kind)
