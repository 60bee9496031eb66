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
    from dicola.pipeline.discover import run
    from dicola.pipeline.plan import Plan

    results = Output(out, json, quiet)
    results.check_folder()
    dag = simulate.network("mildew")
    latents = simulate.hide(dag, 3, seed, pool="root")
    table = simulate.linear_gaussian(dag, samples, seed).drop(columns=list(latents))
    with results.progress() as progress:
        found = run(FisherZ(table, alpha=0.01), Plan(learner="fci"), progress)
    scores = metrics.compare(found.pag, dag.true_pag(latents))
    against_truth = {"skeleton_f1": round(scores.skeleton.f1, 3), "marks_f1": round(scores.marks.f1, 3)}
    words = f"skeleton F1 {scores.skeleton.f1:.3f}, marks F1 {scores.marks.f1:.3f}"
    more = (
        {"latents": list(latents), "against_truth": against_truth} if json else {"hidden": ", ".join(latents), "against the truth": words}
    )
    results.deliver(ctx, found, more=more)
