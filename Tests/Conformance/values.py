"""Compares values that were read from JSON or YAML."""

import numbers


def same(left, right, same_numbers):
    """Texts, numbers and collections, each by its own rule; the caller decides which numbers are the same."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, numbers.Number) and isinstance(right, numbers.Number):
        return same_numbers(left, right)
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(same(*pair, same_numbers) for pair in zip(left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key], same_numbers) for key in left)
    return left == right
