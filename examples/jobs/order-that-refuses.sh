rxctl dispatch order paid
rxctl history order
