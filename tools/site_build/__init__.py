"""What `make docs` runs: gathers the pages, runs their code, draws their pictures; Sphinx makes the site of them."""
