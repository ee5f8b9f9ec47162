"""Entry point of the build tools; everything is said in setup.cfg."""

from setuptools import setup

setup()
