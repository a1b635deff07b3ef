// Rx: observables, operators, subjects, traits and schedulers. It imports nothing of ours.
