"""The full screen: pure drawing functions on a canvas of cells, and the program around them."""
