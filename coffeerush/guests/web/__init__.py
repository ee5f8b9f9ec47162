"""Guests with a browser: a page that shows the rows of the canvas, over HTTP and a WebSocket."""
