"""The notebook around the cell: which earlier cells and headings a prompt gets, and how short."""
