"""The move of a table from one host to another. Pure.

*Handover*, on purpose (SPEC 5.16): an owner asks a standby, somebody whose machine could host. The
old host packs its tables (`handover`); the standby's program receives them in parts
(`inheritance`) and starts a host with them. Once that can be reached, the old host writes into its
records that the tables have gone, and tells everybody where.

*Failover*, after a silence (SPEC 5.17): in the game, the host seals each new line of the record
(`sealing`) and sends it to all who play. They keep these pieces, and a share of the key each
(`replica`). If the host is gone, a standby's person presses a key, and their program starts a host
that has what they have (`failover`). It collects the others' shares and pieces until the record
opens (`gathering`), and goes on with the game.

*Return* (SPEC 5.18): a host that was away asks the standbys whether its game goes on elsewhere, and
gives way to one that proves it (`fencing`).

- *Term*: a number that grows with each of these moves; of two hosts, the one of the later term is
  the one.
- *Deal*: one key, and its shares. A new one is dealt with each game, and when others are to have
  shares. Its number counts in its term and epoch, which is one run of a host.
- *Piece*: a line of the record, or a part of its first line, as it is sealed under the key of a
  deal.
"""
