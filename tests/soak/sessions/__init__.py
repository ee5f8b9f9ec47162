"""Whole sessions in simulated time: real tables and clients over a faulty wire."""
