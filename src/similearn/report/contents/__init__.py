"""What reports tell, as plain numbers and words."""
