"""Models of providers and other servers, through LangChain."""
