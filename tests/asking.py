"""Asking a test many things at once, as the tests of this suite do."""

from __future__ import annotations

from typing import Any

from dicola.ci.base import CITest
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import GivenRest, Question


def counted(test: CITest | Inquiry, question: Question[Any]) -> tuple[Any, int]:
    """The answer, and the number of verdicts that it took."""
    inquiry = Inquiry(test)
    return inquiry.ask(question), inquiry.counts["total"]


def given_rest(test: CITest | Inquiry, *terms: Any, **named: Any) -> Any:
    """Total conditioning."""
    return test.ask(GivenRest(*terms, **named))
