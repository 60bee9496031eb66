"""``dicola demo``: the whole way once, on simulated data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options, settings
from dicola.cli.output import progress_bar, show

EXAMPLES = ("dicola demo", "dicola demo --samples 500 --seed 2 --out small")


def demo(
    ctx: typer.Context,
    config: settings.Config = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("demo"),
    samples: Annotated[int, typer.Option("--samples", help="Rows to simulate.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the simulation.")] = 1,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate the MILDEW network with three hidden variables, learn its PAG, and compare with the truth."""
    from dicola import metrics, simulate
    from dicola.estimator import DiCoLa
    from dicola.files import writable_folder

    writable_folder(out)
    dag = simulate.network("mildew")
    latents = simulate.hide(dag, 3, seed, pool="root")
    table = simulate.linear_gaussian(dag, samples, seed).drop(columns=list(latents))
    with progress_bar(quiet or json) as progress:
        found = DiCoLa(learner="fci", alpha=0.01).fit(table, progress=progress).discovery_
    found.write(out)
    settings.write_settings(ctx, out)
    scores = metrics.compare(found.pag, dag.true_pag(latents))
    against_truth = {"skeleton_f1": round(scores.skeleton.f1, 3), "marks_f1": round(scores.marks.f1, 3)}
    more = {"latents": list(latents), "against_truth": against_truth}
    words = {
        "hidden": ", ".join(latents),
        "against the truth": f"skeleton F1 {scores.skeleton.f1:.3f}, marks F1 {scores.marks.f1:.3f}",
    }
    show(found, as_json=json, quiet=quiet, folder=out, more=more if json else words)
