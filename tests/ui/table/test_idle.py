"""A screen on which nothing happens: it draws nothing."""

from coffeerush.client import session
from coffeerush.ui.terminal.fullscreen import REDRAW_SECONDS
from protocol import encode
from tests.support.local import begun
from tests.support.screen_terminal import TAB, idle, run, shown


def test_ticks_and_signs_of_life_draw_nothing() -> None:
    async def main() -> None:
        link = begun(seed=5)
        local = link.local
        async with shown(link) as terminal:
            await terminal.press(TAB)
            app = terminal.app
            asked: list[object] = []
            app.on_invalidate += asked.append
            for _ in range(3):
                local.now += 1.0
                for message in local.table.tick(local.now):
                    local.tell(encode(message))
                before = link.model
                link.take(session.keepalive(link.model, local.new_id()))
                assert link.model is not before
                # a frame that was asked for would come first
                await idle(2 * REDRAW_SECONDS)
            assert not asked
            await terminal.press(TAB)
            assert asked

    run(main())
