"""The client: model, link, plain mode and full screen."""
