"""``dicola simulate``: a table from a known network with hidden variables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dicola.cli import options, settings_file
from dicola.cli.grouped import Group, grouped
from dicola.cli.output import show
from dicola.errors import InvalidSetting, counted

if TYPE_CHECKING:
    from dicola.graphs.dag import DAG

EXAMPLES = (
    "dicola simulate --network mildew --latents 3 --samples 2000 --seed 1 --out mildew",
    "dicola simulate --er 50,3 --latents 5 --samples 1000 --seed 1 --out random",
)


@dataclass(frozen=True, kw_only=True)
class Draw:
    """What is to be drawn."""

    latents: Annotated[int, typer.Option("--latents", help="How many variables to hide.")]
    samples: Annotated[int, typer.Option("--samples", help="How many rows to draw.")]
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")]
    network: Annotated[
        str | None,
        typer.Option("--network", autocompletion=options.networks, help="A Bayesian-network structure by name, such as mildew or andes."),
    ] = None
    er: Annotated[str | None, typer.Option("--er", metavar="N,DEGREE", help="A random DAG of N variables and this mean degree.")] = None
    pool: Annotated[
        str | None, typer.Option("--pool", help="Hide among any variables with two children, or root ones; root for a network, else any.")
    ] = None

    def dag(self) -> DAG:
        """The graph that was named, or one at random."""
        from dicola import simulate

        if (self.network is None) == (self.er is None):
            raise InvalidSetting("name the graph in one way: --network NAME, or --er N,DEGREE.")
        if self.network is not None:
            return simulate.network(self.network)
        try:
            n, degree = (self.er or "").split(",")
            size, mean = int(n), float(degree)
        except ValueError:
            raise InvalidSetting(f"--er is {self.er!r}; write it as N,DEGREE, for example 50,3.") from None
        return simulate.er_dag(size, mean, self.seed)

    def hidden(self, dag: DAG) -> tuple[str, ...]:
        """The variables of the graph to hide."""
        from dicola import simulate

        return simulate.hide(dag, self.latents, self.seed, pool=self.pool or ("root" if self.network else "any"))


@grouped
def simulate(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="Folder for data.csv, dag.csv, nodes.txt, latents.txt and true_pag.csv.")],
    draw: Annotated[Draw, Group.of(Draw)],
    config: settings_file.Config = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw a linear Gaussian table from a known DAG, hide some variables, and write the table with its truth."""
    from dicola.files import own_folder
    from dicola.graphs.formats import native
    from dicola.result_folder import write_beside
    from dicola.simulate import linear_gaussian

    own_folder(out)
    dag = draw.dag()
    hidden = draw.hidden(dag)
    table = linear_gaussian(dag, draw.samples, draw.seed).drop(columns=list(hidden))
    truth = dag.true_pag(hidden)
    write_beside(
        out,
        {
            "data.csv": table.to_csv(index=False, lineterminator="\n"),
            "dag.csv": native.dag_to_csv(dag),
            "nodes.txt": "".join(f"{name}\n" for name in dag.names),
            "latents.txt": "".join(f"{name}\n" for name in hidden),
            "true_pag.csv": native.to_csv(truth),
            settings_file.FILE: settings_file.settings_text(ctx, out),
        },
    )
    facts = {"rows": draw.samples, "observed": len(truth), "latents": hidden, "true_edges": truth.n_edges, "written_to": str(out)}
    text = (
        f"{counted(draw.samples, 'row')} of {counted(len(truth), 'observed variable')}; hidden: {', '.join(hidden) or 'none'}\n"
        f"the true PAG has {counted(truth.n_edges, 'edge')}; written to {out}"
    )
    show(facts, text, json, quiet)
