"""``dicola demo``: the whole way once, on simulated data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options, settings_file
from dicola.cli.output import Output

EXAMPLES = ("dicola demo", "dicola demo --samples 500 --seed 2 --out small")


def demo(
    ctx: typer.Context,
    config: settings_file.Config = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("demo"),
    samples: Annotated[int, typer.Option("--samples", help="Rows to simulate.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the simulation.")] = 1,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate the MILDEW network with three hidden variables, learn its PAG, and compare with the truth."""
    from dicola import metrics, simulate
    from dicola.ci.fisher_z import FisherZ
    from dicola.pipeline.plan import Plan

    results = Output(out=out, json=json, quiet=quiet)
    results.check_folder(ctx)
    dag = simulate.network("mildew")
    latents = simulate.hide(dag, 3, seed, pool="root")
    table = simulate.linear_gaussian(dag, samples, seed).drop(columns=list(latents))
    with results.even_if_interrupted(ctx):
        found = results.learned(FisherZ(table, alpha=0.01), Plan(mode="auto"))
    scores = metrics.compare(found.pag, dag.true_pag(latents))
    f1 = {"skeleton": scores.skeleton.f1, "marks": scores.marks.f1}
    facts = {"latents": latents, "against_truth": {f"{part}_f1": round(value, 3) for part, value in f1.items()}}
    words = {"hidden": ", ".join(latents), "against the truth": ", ".join(f"{part} F1 {value:.3f}" for part, value in f1.items())}
    results.deliver(ctx, found, more=facts if json else words)
