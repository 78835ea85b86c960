"""Answer a request: compose the messages, query the model, save the turn."""
