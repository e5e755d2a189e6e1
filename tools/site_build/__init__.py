"""What `make docs` runs: gathers the pages, runs their code, draws their pictures, and has Sphinx make the site of
them.
"""
