/// RxStreamTest: tests of streams in virtual time, without a daemon, process, user, or file.
///
/// Rules:
/// * A test runs the stream, the action, or the reactor that it names, and what that reads, but not what subscribes to
///   it. Elements of sources come from `given` and, for the sources of time, from the schedules between `from` and
///   `to`. Executions come from `mock`.
/// * What happened and what is expected are both marble text: words of events that take no time, and durations between
///   them. They must be equal, moment by moment.
/// * At one moment, what is due in a stream comes before the elements that arrive, and streams that are read come
///   before those that read them.
/// * Nothing here has a clock, a thread, or a file. Programs run in an evaluator that the caller provides.
///
/// Reading order: MarbleText, MarbleEvent, MarbleFault; StreamTestDefinition, MockOutcome, TestedConfiguration,
/// TestedReactor; StreamTestSuite, StreamTestRun, TestPeriod, TestScope; TestClock, MockedAction, TestedStream,
/// ExternalPort, GivenSources, TimeSources, TestedBinding, RunningReactor, and TestWorld, which connects these;
/// RecordedEvent, Comparison, StreamTestResult, FailureText.
