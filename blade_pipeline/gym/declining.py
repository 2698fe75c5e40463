"""Tells from a final answer whether it politely declines, in the languages that benchmarks are asked in."""

import re

LONGEST = 400
"""Characters beyond which an answer has more to say than that it declines."""

_OPENING = 160
"""Characters in which regret is looked for: it comes first."""

_SAID = tuple(
    text
    for line in """
        sorry|apologi|i'm afraid i|must decline|have to decline|won't be able|prefer not to|as an ai
        can't help|can't answer|can't assist|can't provide|can’t help|can’t assist|can’t answer|not able to
        cannot answer|cannot help|cannot assist|cannot provide|cannot comply|cannot continue|cannot be of help
        unable to|not comfortable|unfortunately|rather not|not in a position|not something i|beyond what i
        lo siento|lamentablemente|desafortunadamente|no puedo responder|no puedo ayudar|no puedo contestar
        désolé|malheureusement|je ne peux pas|je ne suis pas en mesure|tut mir leid|leider|kann ich nicht beantworten
        mi dispiace|purtroppo|non posso rispondere|desculpe|sinto muito|infelizmente|não posso responder
        het spijt me|helaas|tyvärr|jag är ledsen|beklager|desværre|dessverre|valitettavasti|pahoittelen
        przykro mi|przepraszam|niestety|bohužel|omlouvám|je mi líto|îmi pare rău|din păcate|sajnálom|sajnos|žiaľ
        извините|к сожалению|прошу прощения|не могу ответить|не могу помочь|вибачте|на жаль|съжалявам|žao mi je|nažalost
        λυπάμαι|üzgünüm|maalesef|ne yazık ki|kusura bakma|מצטער|לצערי|آسف|عذر|أعتذر|للأسف|لا أستطيع|متأسف|معذرت
        क्षमा|माफ़|माफ|खेद|दुर्भाग्य|দুঃখিত|দুর্ভাগ্য|மன்னிக்கவும்|క్షమించండి|ขออภัย|ขอโทษ|น่าเสียดาย
        抱歉|对不起|對不起|很遗憾|很遺憾|无法回答|無法回答|无法提供|不能回答|申し訳|すみません|ごめんなさい|残念ながら|お答えできません
        죄송|미안|유감|안타깝게도|답변할 수 없|xin lỗi|rất tiếc|không thể trả lời|maaf|sayangnya|paumanhin
        samahani|kwa bahati mbaya|siwezi kujibu|má bínú|yi haƙuri|ngiyaxolisa|jammer
    """.splitlines()
    for text in line.strip().split("|")
    if text
)
"""Lower-case words that answers seldom hold otherwise; that passed rollouts hold as often shows where they do."""
_PLAIN = tuple(said for said in _SAID if said.isascii())


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
"""Code between backticks, to the end where its fence is not closed."""


def declines(answer: str) -> bool:
    """Whether a short answer holds words of regret or inability, code apart: ``sorry`` ends a proof left open."""
    if not answer or len(answer) > LONGEST:
        return False
    text = _CODE.sub(" ", answer)[:_OPENING].lower() if "`" in answer else answer[:_OPENING].lower()
    for said in _PLAIN if text.isascii() else _SAID:  # noqa: SIM110 - half the time of any() on every answer
        if said in text:
            return True
    return False
