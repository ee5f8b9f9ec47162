"""Refusals in the language of the person; the English texts are in `protocol.errors`."""

from coffeerush.client.model import Model
from protocol import Refusal, clean_line, refusal_text

from .i18n import translated
from .names import bot_level, item_list, name_heard


def refusal_line(refusal: Refusal, model: Model | None = None) -> str:
    """Return the sentence that explains a refusal to the person who asked.

    It comes from code and data; a host that sends less data, or nonsense, gets a shorter one.

    Args:
        refusal: as the host sent it.
        model: the table that it is about, so that bots are called as elsewhere on the screen.
    """
    params = {name: _shown(name, value, model) for name, value in refusal.params.items()}
    return clean_line(refusal_text(refusal.code, params, translated) or refusal.text)


def _shown(name: str, value: str | int, model: Model | None) -> str | int:
    """Return a datum with what people call a bot instead of the host's word for it."""
    match name, value:
        case "bot" | "bots", str():
            return item_list(map(bot_level, value.split(", ")))
        case "name", str() if model is not None:
            return name_heard(model, value)
    return value
