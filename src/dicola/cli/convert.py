"""``dicola convert``: a graph from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show
from dicola.errors import counted

EXAMPLES = ("dicola convert results/pag.json pag.graphml", "dicola convert results pag.csv --to edges")


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A graph in any known format, or a folder that holds a pag.json.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending says the format.")],
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", autocompletion=options.formats, help="Format of IN; else by its ending and content."),
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", autocompletion=options.formats, help="Format of OUT; else by its ending.")
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Convert a graph: json, pcalg, edges, arcs, causal-learn, tetrad, tetrad-json, dagitty, dot, graphml, gexf or cytoscape."""
    from dicola.graphs.formats import registry

    graph = registry.read(source, from_)
    chosen = registry.named(to) if to is not None else registry.for_ending(target)
    registry.write(graph, target, chosen.name)
    facts = {"nodes": len(graph), "edges": graph.n_edges, "format": chosen.name, "written_to": str(target)}
    text = f"{counted(len(graph), 'node')} and {counted(graph.n_edges, 'edge')} written to {target} ({chosen.title})"
    show(facts, text, json, quiet)
