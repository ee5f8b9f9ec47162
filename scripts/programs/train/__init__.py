"""Train the weights of the expert bot by self-play."""
