// The real binaries, started as users start them: `rxd` on a private socket with a private configuration and state,
// `rxctl` and other clients against it.
//
// `withSandbox` gives a test its directory and takes care of the end: whatever the test started is stopped, and nothing
// may be left behind. `Program` is one process; `Sandbox.rxctl` runs one to its end. Everything is waited for by
// `eventually`.
