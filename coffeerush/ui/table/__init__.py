"""The table on the full screen: key, click or update in, next state and requests out."""
