"""Whole sessions in simulated time: real tables and clients, and a wire that goes wrong."""
