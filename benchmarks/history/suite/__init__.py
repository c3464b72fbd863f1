"""Times and peak memory from commit to commit, by asv: `cd benchmarks/history && asv run NEW..OLD && asv publish`."""
