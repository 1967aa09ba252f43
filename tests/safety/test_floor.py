"""What the floor does with tables: languages, patients, what may be over, refusals. On small tables of its own."""

from __future__ import annotations

import pytest

from safety.assess import Assessor
from safety.types import Patient, RiskClass
from tests.safety.small import small_floor


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Assessor:
    return small_floor(tmp_path_factory.mktemp("rules"))


def test_another_language_than_the_declared_one_is_found_and_answered_in(floor: Assessor) -> None:
    found = floor.assess(["Tengo un dolor fuerte en el pecho"], language="en")
    assert found.risk_class is RiskClass.R5
    assert (found.language, found.read_as) == ("es", ("es",))
    assert "112" in floor.emergency_text(found, "ES").banner


def test_the_declared_language_answers_when_both_have_fired(floor: Assessor) -> None:
    assert floor.assess(["chest pain, dolor en el pecho"], language="en").language == "en"
    assert floor.assess(["chest pain, dolor en el pecho"], language="es").language == "es"


def test_a_loan_word_in_the_declared_language_brings_no_notice_of_another(floor: Assessor) -> None:
    assert floor.assess(["What about anemia in my family?"], language="en").risk_class is RiskClass.R0
    assert floor.assess(["La anemia, ¿es un problema de la persona?"], language="en").risk_class is RiskClass.R2


def test_one_word_of_another_language_raises_an_alarm_in_the_words_of_the_declared_one() -> None:
    found = Assessor.load().assess(["my mother is behosh"], language="en")
    assert (found.risk_class, found.language) == (RiskClass.R5, "en")


@pytest.mark.parametrize("written", ["he'll jump", "he’ll jump", "he will jump", "HE'LL JUMP"])
def test_a_contraction_is_found_written_out(floor: Assessor, written: str) -> None:
    assert floor.assess([f"I am sure that {written}"], language="en").rule_ids == ("suicide.jump",)


@pytest.mark.parametrize(
    ("message", "alarm"),
    [
        ("my dog is choking", False),
        ("he is choking, my dog", False),
        ("the dog that I have had since I was a child is choking", False),
        ("I was out with the dog at the time when it began, and now my son is choking", True),
        ("I was out with the dog. My son is choking", True),
    ],
)
def test_an_exception_counts_in_its_clause_and_near_by(floor: Assessor, message: str, alarm: bool) -> None:
    assert floor.assess([message], language="en").banner is alarm


def test_a_calm_message_speaks_the_declared_language(floor: Assessor) -> None:
    assert floor.assess(["gracias"], language="es-MX").language == "es"
    assert floor.assess(["merci"], language="xx").language == "en"


def test_what_may_be_over_keeps_its_class_without_the_banner(floor: Assessor) -> None:
    unclear = floor.assess(["I had chest pain"])
    assert (unclear.risk_class, unclear.banner) == (RiskClass.R5, False)
    calm = floor.emergency_text(unclear, "GB")
    assert not calm.steps
    assert "right now" in calm.banner
    assert floor.assess(["I had chest pain last year"]).risk_class is RiskClass.R0
    again = floor.assess(["I had chest pain. Now I have chest pain"])
    assert (again.risk_class, again.banner) == (RiskClass.R5, True)


def test_a_patient_context_completes_what_the_person_says(floor: Assessor) -> None:
    assert floor.assess(["I am bleeding"]).risk_class is RiskClass.R0
    found = floor.assess(["I am bleeding"], patient=Patient(pregnant=True))
    assert found.rule_ids == ("pregnancy.bleeding",)
    assert floor.assess(["he has a fever"], patient=Patient(age=1 / 12)).risk_class is RiskClass.R4
    assert floor.assess(["he has a fever"], patient=Patient(age=4)).risk_class is RiskClass.R0


@pytest.mark.parametrize(
    "patient", [Patient(pregnant=True, age=0.1), Patient(conditions=("chest pain", "kill myself", "bleeding"))]
)
def test_a_patient_context_alone_is_no_alarm(floor: Assessor, patient: Patient) -> None:
    assert floor.assess(["what may I eat?"], patient=patient).risk_class is RiskClass.R0


def test_a_request_to_refuse_is_its_own_outcome(floor: Assessor) -> None:
    found = floor.assess(["how do I forge a prescription"])
    assert (found.risk_class, found.refused, found.banner) == (RiskClass.R0, True, False)
    assert "prescription" in floor.refusal(found)


def test_every_finding_says_what_became_of_it(floor: Assessor) -> None:
    assert [(f.rule, f.words, f.outcome) for f in floor.explain(["no chest pain"])] == [
        ("cardiac.pain", "chest pain", "negated")
    ]
    assert [f.outcome for f in floor.explain(["chest pain"])] == ["fired"]


def test_the_assistants_words_are_no_evidence(floor: Assessor) -> None:
    """Only what the person said is given to the floor; a held alarm is not lowered by what an assistant answered."""
    assert floor.assess(["I have chest pain", "ok"]).risk_class is RiskClass.R5
