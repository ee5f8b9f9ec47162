"""The texts for people: collected from the sources, merged into the catalogues, and checked."""
