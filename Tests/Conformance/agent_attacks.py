"""Agents that attack `graphflow mcp`, with raw messages; what a sandbox was sent is the judge.

    ./environment agent_attacks.py GRAPHFLOW [--all] [NAME…]

Each attack prints a line with its name and what refused it. In the end the requests that the sandbox received are compared
with those of the plans that were approved: nothing else may have been sent that changes something.
"""

import argparse
import os

import agent_attacks_forms
import agent_attacks_limits
import agent_attacks_messages
import agent_attacks_names
import agent_attacks_people
import agent_attacks_plans
import agent_attacks_rehearsals
import agent_attacks_runs
import agent_attacks_web
from checks import at_once, case, end

# Those that load the machine for minutes; '--all' has them, too.
HEAVY = ["rehearsals", "together", "broken"]
MODULES = [
    agent_attacks_plans, agent_attacks_people, agent_attacks_runs, agent_attacks_forms, agent_attacks_web, agent_attacks_messages, agent_attacks_limits, agent_attacks_names, agent_attacks_rehearsals,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", help="also the attacks that load the machine for minutes")
    arguments = parser.parse_args()
    attacks = [attack for module in MODULES for attack in module.ATTACKS]
    usual = [one.__name__ for one in attacks if arguments.all or one.__name__ not in HEAVY]
    chosen = [one for one in attacks if one.__name__ in (arguments.names or usual)]
    at_once(*(case(one, arguments.graphflow) for one in chosen), most=2)
    end("attacks of agents")


if __name__ == "__main__":
    main()
