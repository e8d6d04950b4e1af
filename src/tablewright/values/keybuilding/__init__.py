"""Keys built by hand, on the key codec: functions without state for code that has no model, or does not want one.

`tablewright.keybuilding` is where users find them.
"""
