# Returns when all are accepted; the key makes it harmless to type it again.
rxctl execute report --each --detach --key december <customers
rxctl history report
