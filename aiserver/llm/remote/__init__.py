"""Models of providers and servers, through LangChain."""
