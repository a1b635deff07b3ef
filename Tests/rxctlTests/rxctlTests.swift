// The parts of rxctl that need no daemon: its arguments, its exit codes, and its output.
// With a daemon: EndToEndTests.
