// The parts of rxctl that need no daemon: what its arguments mean, what its outcomes are worth, what it prints.
// With a daemon: EndToEndTests.
