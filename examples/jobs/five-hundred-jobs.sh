# Attached, with the number of the line for each result; detached, with a key, so that it is harmless to type it again.
rxctl execute report --each --parallel 8 --json --resume log <customers >results
rxctl execute report --each --detach --key december <customers
rxctl history report
