"""What every answer of the workbench goes through: endpoints, schemas, security."""
