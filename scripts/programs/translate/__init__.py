"""Translation tools: extract texts from the sources, merge them into catalogues, check them."""
