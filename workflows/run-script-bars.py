"""Draws a bar for each number of a JSON array on standard input: what workflows/run-script.yaml runs."""
import json
import sys

for number in json.load(sys.stdin):
    print("#" * int(number))
