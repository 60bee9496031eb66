"""Experiments that can be run again: a settings file in, JSON lines out, tables and figures from these (serves ``dicola paper``)."""

from dicola.study.plan import Cell, Series, Setting, Study, load_study
from dicola.study.rows import Row, Rows
from dicola.study.run import Standing, run_study

__all__ = ["Cell", "Row", "Rows", "Series", "Setting", "Standing", "Study", "load_study", "run_study"]
