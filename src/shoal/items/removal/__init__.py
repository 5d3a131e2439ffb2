"""The removal of items from the rows of a class, at the least cost, until a rule allows what the class reveals.

Removing an item from a row that has j items left costs 1/j.
"""

from shoal.items.removal.answering import first_answers
from shoal.items.removal.classes import ClassItems
from shoal.items.removal.result import Removal
from shoal.items.removal.solving import METHODS, improved, solve

__all__ = ["METHODS", "ClassItems", "Removal", "first_answers", "improved", "solve"]
