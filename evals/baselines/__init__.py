"""Other designs, for comparison in the same run. Nothing in the product uses them."""
