"""What scikit-learn asks of an estimator, check by check."""

from __future__ import annotations

from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from dicola import FCI, DiCoLa

CANNOT_APPLY = {
    "check_dtype_object": "wants a TypeError in NumPy's words for text; we refuse it as InvalidData, a ValueError, with column and row"
}


@parametrize_with_checks([DiCoLa(), DiCoLa(learner=FCI(max_condition_size=1), mode="auto")], expected_failed_checks=lambda _: CANNOT_APPLY)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_every_check_named_here_exists():
    assert set(CANNOT_APPLY) <= {check.func.__name__ for _, check in estimator_checks_generator(DiCoLa())}
