// TestSupport: what the tests of several modules share. Nothing but tests depends on it.
//
// Read: OwnThreads (a trait for suites whose tests block or start threads or processes: their own threads, a few tests
// at a time, a time limit), LeakFree (a trait for suites of Rx: nothing that Rx has made stays alive).
