"""One answer to a request: compose the messages, ask the model, save the turn."""
