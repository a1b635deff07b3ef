# The failed ones of a run with a log: the same command again.
rxctl execute report --each --resume log <customers
