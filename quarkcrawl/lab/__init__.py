"""What measures and trains quarkcrawl: a mock web, evaluations, training, baselines."""
