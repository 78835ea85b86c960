"""Real requests for models: public sets, the rules of the page, and tables of the results."""
