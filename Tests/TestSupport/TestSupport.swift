// TestSupport: what the tests of several modules share. Nothing but tests depends on it.
//
// Read: LeakFree (a trait for suites: all that Rx has made is let go of).
