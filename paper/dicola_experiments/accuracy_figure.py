"""One figure of the study of accuracy: every setting a line, skeleton and marks side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicola_experiments.accuracy import DEFAULT, is_noise
from dicola_experiments.extras import from_extra
from dicola_experiments.methods import GROUPS, PEERS
from dicola_experiments.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Label, methods, colour, marker, size; drawn in this order, so the default lies on top.
_LOOKS: Final = (
    ("other libraries", tuple(PEERS), "#b9c0c8", "s", 3.4),
    ("FCI alone", GROUPS["limited"], "#a57400", "v", 4.2),
    ("boss-fci", ("boss-fci",), "#00835f", "^", 4.2),
    ("exact", ("mode exact",), "#d1490c", "D", 3.8),
    ("DiCoLa()", (DEFAULT,), "#0b62a4", "o", 6.0),
)
_PANELS: Final = {"f1": "F1 of the skeleton", "mark_f1": "F1 of the marks"}


def accuracy_figure(results: Results) -> Figure:
    """Means with standard errors; every method of a group has a mark of its own."""
    settings = [setting for setting in results.settings if not is_noise(setting)]
    figure: Figure = from_extra("matplotlib.figure", "matplotlib").Figure(figsize=(9.2, 0.27 * len(settings) + 1.1), layout="constrained")
    from_extra("matplotlib.backends.backend_agg", "matplotlib").FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(_PANELS), sharey=True)
    for ax, (metric, title) in zip(panels, _PANELS.items(), strict=True):
        for label, methods, colour, marker, size in _LOOKS:
            points = [
                (place, mean)
                for place, setting in enumerate(settings)
                for method in methods
                if (outcome := results.at(setting, method)) is not None and (mean := outcome.mean(metric)) is not None
            ]
            ax.errorbar(
                [mean.value for _, mean in points],
                [place for place, _ in points],
                xerr=[mean.error or 0.0 for _, mean in points],
                **{"fmt": marker, "color": colour, "markersize": size, "elinewidth": 0.8, "label": label},
            )
        ax.set_title(title, loc="left")
        ax.set_ylim(len(settings) - 0.5, -0.5)
        ax.set_yticks(range(len(settings)), [results.study.name_of(setting) for setting in settings])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=len(labels))
    return figure
