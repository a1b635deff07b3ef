watch -n1 rxctl top --once
