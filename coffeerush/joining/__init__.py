"""How somebody gets in: the join code and its proof, the door on both sides, known hosts."""
