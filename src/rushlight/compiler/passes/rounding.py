"""Running values that are rounded as they are stored."""

from __future__ import annotations

from rushlight.program.ir import Builder, Eqn, Program, Var


def rounding(program: Program) -> Program:
    """The program with the conversions behind a scan made by the scan as it stores, where nobody reads its values else.

    convert(cumsum(x), dtype=float32)   ->   cumsum(x, rounding=(float32,))
    """
    scans = [e for e in program.eqns if e.prim.kind == "scan"]
    if not scans:
        return program
    uses: dict[Var, list[Eqn | None]] = {}  # None: a result of the program
    for e in program.eqns:
        for v in e.inputs:
            uses.setdefault(v, []).append(e)
    for v in program.outputs:
        uses.setdefault(v, []).append(None)
    chains = {e: found for e in scans if (found := _conversions(e.outputs[0], uses))}
    if not chains:
        return program
    behind = {e for chain in chains.values() for e in chain}
    with Builder(program.env) as b:
        args = b.inputs_like(program)
        value = dict(zip(program.inputs, args, strict=True))
        for e in program.eqns:
            if e in behind:
                continue
            params, outputs = e.params, e.outputs
            chain = chains.get(e)
            if chain is not None:
                params = {**params, "rounding": tuple(c.outputs[0].dtype for c in chain)}
                outputs = chain[-1].outputs
            value.update(zip(outputs, b.results(e.prim, [value[v] for v in e.inputs], params), strict=True))
        return b.build([value[v] for v in program.outputs])


def _conversions(v: Var, uses: dict[Var, list[Eqn | None]]) -> list[Eqn]:
    """The conversions that a value goes through, each the only one to read the value before it."""
    chain: list[Eqn] = []
    while len(readers := uses.get(v, [])) == 1:
        e = readers[0]
        if e is None or e.prim.name != "convert":
            break
        chain.append(e)
        (v,) = e.outputs
    return chain
