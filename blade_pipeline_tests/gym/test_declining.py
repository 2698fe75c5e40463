"""Answers that politely decline, in several languages, and such that do not."""

import pytest

from blade_pipeline.gym.declining import LONGEST, declines


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "I am unable to answer this question.",
        "Unfortunately, that is beyond what I may discuss.",
        "Lo siento, no puedo responder.",
        "Je suis désolé, je ne peux pas répondre.",
        "Das kann ich leider nicht sagen.",
        "К сожалению, я не могу ответить.",
        "抱歉,我无法回答这个问题。",
        "申し訳ありませんが、お答えできません。",
        "죄송하지만 답변할 수 없습니다.",
        "عذراً، لا أستطيع الإجابة.",
        "क्षमा करें, मैं उत्तर नहीं दे सकता।",
    ],
)
def test_regret_is_heard_in_many_languages(answer: str) -> None:
    assert declines(answer)


@pytest.mark.parametrize("answer", ["", "The answer is 42.", "\\boxed{C}", "Die Liste nennt diese Zahl.", "答案是 B。"])
def test_an_answer_is_no_refusal(answer: str) -> None:
    assert not declines(answer)


def test_a_long_text_has_more_to_say() -> None:
    assert not declines("Unfortunately, " + "x" * LONGEST)


@pytest.mark.parametrize("answer", ["```lean\ntheorem t : a = b := by\n  sorry\n```", "Left as `sorry`.", "```\nsorry"])
def test_code_says_no_regret(answer: str) -> None:
    assert not declines(answer)


def test_regret_beside_code_is_heard() -> None:
    assert declines("```lean\nexact h\n``` Unfortunately, this is all.")
