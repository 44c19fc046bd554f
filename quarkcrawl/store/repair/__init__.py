"""What a crash or a bad disk left: recovery at the next start, verification, salvage."""
