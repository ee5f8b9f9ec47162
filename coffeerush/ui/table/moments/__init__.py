"""What has just happened at the table: others' trails on the board, and short animations; pure."""
