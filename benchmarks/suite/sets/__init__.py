"""The public sets of requests, each as a function that yields its items."""
