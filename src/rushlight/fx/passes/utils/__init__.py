"""What passes are built of: finding subgraphs."""
