"""The rules of the game as text for players; comments name the rules that a paragraph covers."""

from typing import Final, TypeAlias

from msgspec import Struct

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.words.i18n import N_, _


class RulesSection(Struct, frozen=True):
    """A section of the rules: title and paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


Texts: TypeAlias = tuple[str, ...]

_IN_SHORT: Final[Texts] = (
    N_(
        "You work in a busy café: you fetch ingredients, pour them into your cups and "
        "serve each order before it expires. Each order you serve earns you a point "
        "and sends new orders to the other players. The player with the most points at "
        "the end wins."
    ),
    N_(
        "In your turn you take up to three steps, and the ingredient of each cell that you "
        "enter; then you pour them into your cups, and serve each order that a cup "
        "holds exactly. At the end of your turn, your open orders move on by one slot. After "
        "slot 4 an order becomes a penalty, and with the fifth penalty of a player the café closes."
    ),
)
_TABLE: Final[Texts] = (
    # R-COMP-1
    N_(
        "The board has 16 cells in 4 rows of 4. Each cell gives one ingredient: "
        "coffee, milk, steam, ice, chocolate, caramel, tea or water. Caramel, water, "
        "tea and chocolate appear only once: these four are the specialty cells."
    ),
    # R-COMP-2, R-COMP-5
    N_(
        "Ingredients are tokens, and all players share one supply of them: 18 coffee "
        "and 12 of every other kind. It also has 15 rush tokens. Tokens that players "
        "hold or have in their cups are not available until they are returned."
    ),
    # R-COMP-3
    N_(
        "An order is a card that names a drink and its ingredients. The deck has 80 of "
        "these cards, unless the table plays with a deck of its own. Some drinks are "
        "specialties."
    ),
    # R-COMP-4
    N_(
        "You have 3 cups, and a cup has room for any number of tokens. Your open "
        "orders are in slots 1 to 4. You also have a pile of completed orders, a pile "
        "of penalties, rush tokens, 4 upgrades that can be activated once each, and 1 "
        "meeple on the board, or 2 if there are 2 players."
    ),
    # R-INFO-1, R-INFO-2
    N_(
        "Everybody sees the board, everybody's open orders, piles, rush tokens and "
        "upgrades, the supply, and what a player picks up. Only the owner of a cup "
        "knows what is in it and what was poured. Nobody knows what the deck will "
        "bring next."
    ),
)
_SETUP: Final[Texts] = (
    # R-SETUP-1, R-SETUP-2
    N_(
        "The deck is shuffled, and a start player is chosen. The start player begins "
        "with 2 orders in slot 1 and 1 order in slot 2, everybody else with 1 order in "
        "each. Play passes to the left."
    ),
    # R-SETUP-3, R-SETUP-5
    N_(
        "Meeples are placed on free cells one after another, in the opposite "
        "direction: the player to the right of the start player begins, and the start "
        "player comes last. Once all are placed, the ingredient under your meeple goes "
        "into one of your cups."
    ),
)
_TURN: Final[Texts] = (
    N_(
        "Your turn has four parts, always in this order: you may activate an upgrade, "
        "then you move, then you pour, then you serve. Until you end your turn, you "
        "can undo everything you did in it."
    ),
    # R-MOVE-1, R-MOVE-3, R-MOVE-5
    N_(
        "Move: take 1, 2 or 3 steps, each to the cell above, below, left or right; at "
        "least one step is required. Each step puts the ingredient of the cell you "
        "enter into your hand, or as much of it as the supply still has. The cell you "
        "start from gives nothing, but you may come back to it, and you may enter any "
        "cell more than once."
    ),
    # R-MOVE-2
    N_(
        "Rush tokens make you faster: for each one you spend, you may take one more "
        "step. You may spend as many as you have, and they go back to the supply at "
        "once."
    ),
    # R-MOVE-4
    N_(
        "You may pass through a cell with another meeple and take its ingredient, but "
        "your last step has to end on a cell without one. You cannot take a step after "
        "which you could no longer reach such a cell."
    ),
    # R-POUR-1, R-POUR-2
    N_(
        "Pour: put the tokens in your hand into your cups, divided as you like. What "
        "you do not want goes back to the supply; nothing stays in your hand. A token "
        "in a cup never moves to another cup."
    ),
    # R-POUR-3
    N_(
        "At any time during your turn you may empty a cup, but only completely. Its "
        "tokens go back to the supply at once, so a later step can pick them up again."
    ),
    # R-SERVE-1
    N_(
        "Serve: a cup that holds exactly the ingredients of one of your open orders, "
        "no more and no fewer, completes it, whichever slot it is in. The tokens go "
        "back to the supply, and the order goes to your completed orders. You may "
        "serve several orders, but after the first one you cannot pour any more."
    ),
    # R-SERVE-2
    N_("Each specialty that you serve earns you a rush token, if the supply has one."),
)
_AFTER: Final[Texts] = (
    # R-RUSH-1
    N_(
        "Order rush: for every order that you completed in this turn, each of the next "
        "two players to your left draws a new order into slot 1. The nearer of them "
        "draws all of theirs first. With 2 players, only the other player draws."
    ),
    # R-TIME-1
    N_(
        "Flow of time: then all your open orders move to the next slot, from 1 to 2, "
        "from 2 to 3, from 3 to 4. An order that leaves slot 4 expires and becomes a "
        "penalty. Each penalty brings you a rush token, if the supply has one."
    ),
)
_UPGRADES: Final[Texts] = (
    # R-UPG-1
    N_(
        "At the start of your turn, before the first step, you may discard exactly 3 "
        "of your completed orders to activate an upgrade, at most one per turn. The "
        "discarded orders no longer score. The upgrade takes effect at once and lasts "
        "for the rest of the game."
    ),
    # R-UPG-2, R-UPG-3, R-UPG-4, R-UPG-5
    N_(
        "Double meeples: twice the ingredients on a cell with another meeple, "
        "including your own second one. Diagonal move: steps may also be diagonal. "
        "Double corners: twice the ingredients on the four corners. Double "
        "specialties: twice the ingredients on the four specialty cells."
    ),
    # R-UPG-6
    N_("Doublings multiply: a corner with another meeple on it can give 4 tokens."),
)
_END: Final[Texts] = (
    # R-RUSH-2, R-TIME-2, R-END-4
    N_(
        "The start player token shows OPEN. It turns to CLOSED when the deck is empty, "
        "when somebody has 5 penalties or more, or, with 3 or 4 players, when a turn "
        "ends and nobody has any open orders left. If too few cards are left for an "
        "order rush, players draw those that are left."
    ),
    # R-END-1
    N_(
        "Once the token shows CLOSED, the round is played to the end: the player to "
        "the right of the start player has the last turn, so that everybody has the "
        "same number of turns."
    ),
    # R-END-2, R-END-3
    N_(
        "You score 1 point for each completed order that you still have and 2 points "
        "for each active upgrade, and lose 1 point for each penalty. If players are "
        "tied, the one with more completed orders wins, then the one with more rush "
        "tokens; if they are still tied, they share the victory."
    ),
)
_TWO: Final[Texts] = (
    # R-SETUP-4, R-SETUP-5
    N_(
        "With 2 players, each has 2 meeples. You take turns placing them, starting "
        "with the player who is not the start player, and no two may share a cell. "
        "Then you pour the two ingredients under your meeples into one cup or into two."
    ),
    # R-MOVE-1, R-MOVE-4
    N_(
        "On each turn, only one of your meeples moves, whichever you like. Your other "
        "one then counts as another meeple: you may pass through it, but not stop "
        "there."
    ),
    # R-TIME-3
    N_(
        "At the end of your turn, after the flow of time, you draw 1 new order into "
        "slot 1. This can also empty the deck and turn the token to CLOSED."
    ),
)
_OPTIONS: Final[Texts] = (
    # R-SETUP-6
    N_(
        "Starter orders: if the table plays with them, the four Ristretto and Espresso "
        "cards are taken out of the deck. Each player gets one of them at random in "
        "slot 1 and draws another order into slot 2; the start player draws one more "
        "into slot 1. Starters that are left over are out of the game."
    ),
    N_(
        "If a player leaves or stays away, a bot soon takes over until the player is "
        "back. If the table has a turn clock, a bot finishes the turn of a player "
        "whose time is up."
    ),
)
_SECTIONS: Final = (
    (N_("In short"), _IN_SHORT),
    (N_("What is on the table"), _TABLE),
    (N_("Before the first turn"), _SETUP),
    (N_("Your turn"), _TURN),
    (N_("The end of your turn"), _AFTER),
    (N_("Upgrades"), _UPGRADES),
    (N_("The end of the game"), _END),
    (N_("Two players"), _TWO),
    (N_("Optional rules"), _OPTIONS),
)


def game_sections() -> tuple[RulesSection, ...]:
    """Return the rules in the person's language, without the section on the screen."""
    return tuple(RulesSection(_(title), tuple(map(_, texts))) for title, texts in _SECTIONS)


def rules_sections() -> tuple[RulesSection, ...]:
    """Return the rules in the person's language, with a section on how the screen shows them."""
    return (*game_sections(), _on_screen())


def _on_screen() -> RulesSection:
    board = _(
        "{specialty} marks specialty cells and drinks. {mine} is your meeple, letters "
        "are the other meeples; arrows show where you can step, and numbers show the "
        "path you have taken."
    )
    orders = _(
        "Each of your orders begins with the number of its slot; 4! means that it "
        "becomes a penalty when your turn ends. After the drink come its ingredients; "
        "a dot marks those that your best cup for it still lacks."
    )
    counts = _(
        "{served} stands for completed orders, {penalty} for penalties and {rush} for rush tokens."
    )
    return RulesSection(
        _("On the screen"),
        (
            board.format(specialty=glyphs.SPECIALTY, mine=glyphs.MINE),
            orders,
            counts.format(served=glyphs.SERVED, penalty=glyphs.PENALTY, rush=glyphs.RUSH),
        ),
    )
