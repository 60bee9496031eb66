"""``dicola simulate``: a table from a known network with hidden variables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dicola.cli import options, settings
from dicola.errors import InvalidSetting

if TYPE_CHECKING:
    from dicola.graphs.dag import DAG

EXAMPLES = (
    "dicola simulate --network mildew --latents 3 --samples 2000 --seed 1 --out mildew",
    "dicola simulate --er 50,3 --latents 5 --samples 1000 --seed 1 --out random",
)


def simulate(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="Folder for data.csv, dag.csv, nodes.txt, latents.txt and true_pag.csv.")],
    latents: Annotated[int, typer.Option("--latents", help="How many variables to hide.")],
    samples: Annotated[int, typer.Option("--samples", help="How many rows to draw.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")],
    config: settings.Config = None,
    network: Annotated[
        str | None,
        typer.Option("--network", autocompletion=options.networks, help="A Bayesian-network structure by name, such as mildew or andes."),
    ] = None,
    er: Annotated[str | None, typer.Option("--er", metavar="N,DEGREE", help="A random DAG of N variables and this mean degree.")] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", help="Hide among any variables with two children, or root ones; root for a network, else any.")
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw a linear Gaussian table from a known DAG, hide some variables, and write the table with its truth."""
    from dicola import simulate as simulation
    from dicola.files import writable_folder, write_texts
    from dicola.graphs.formats import native

    writable_folder(out)
    if (network is None) == (er is None):
        raise InvalidSetting("name the graph in one way: --network NAME, or --er N,DEGREE.")
    dag = simulation.network(network) if network is not None else _er_dag(er or "", seed)
    hidden = simulation.hide(dag, latents, seed, pool=pool or ("root" if network else "any"))
    table = simulation.linear_gaussian(dag, samples, seed).drop(columns=list(hidden))
    truth = dag.true_pag(hidden)
    write_texts(
        out,
        {
            "data.csv": table.to_csv(index=False, lineterminator="\n"),
            "dag.csv": native.dag_to_csv(dag),
            "nodes.txt": "".join(f"{name}\n" for name in dag.names),
            "latents.txt": "".join(f"{name}\n" for name in hidden),
            "true_pag.csv": native.to_csv(truth),
        },
    )
    settings.write_settings(ctx, out)
    facts = {"rows": samples, "observed": len(truth), "latents": list(hidden), "true_edges": truth.n_edges, "written_to": str(out)}
    if json:
        from json import dumps

        typer.echo(dumps(facts, ensure_ascii=False))
    elif not quiet:
        typer.echo(f"{samples} rows of {len(truth)} observed variables; hidden: {', '.join(hidden) or 'none'}")
        typer.echo(f"the true PAG has {truth.n_edges} edges; written to {out}")


def _er_dag(text: str, seed: int) -> DAG:
    from dicola import simulate as simulation

    try:
        n, degree = text.split(",")
        size, mean = int(n), float(degree)
    except ValueError:
        raise InvalidSetting(f"--er is {text!r}; write it as N,DEGREE, for example 50,3.") from None
    return simulation.er_dag(size, mean, seed)
