"""The parts of fair.py: processes, the daemon, the honest clients, the attackers, the reloads, and a round of them."""
