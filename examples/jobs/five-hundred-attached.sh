# Each line of customers is {"customer":"…"}; each line of results has the number of the line.
rxctl execute report --each --parallel 8 --json --resume log <customers >results
