"""Organizations, their people, teams, subscriptions and invitations on one table."""
