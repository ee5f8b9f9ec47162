"""A finished game on the full screen: forwards and backwards, with every cup open."""
