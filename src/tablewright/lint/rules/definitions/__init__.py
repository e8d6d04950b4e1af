"""What the compiler refuses or leaves unproved, and waivers: TW0xx."""
