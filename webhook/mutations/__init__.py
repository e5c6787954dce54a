"""What is changed in a write under way: patches of conditions, tried before they are sent."""
