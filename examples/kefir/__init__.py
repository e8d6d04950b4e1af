"""A helper for people who brew water kefir: batches, their events, reminders and devices on one table."""
