"""Mutation testing for `scripts/mutate`: change one place of the product, run the nearest tests."""
