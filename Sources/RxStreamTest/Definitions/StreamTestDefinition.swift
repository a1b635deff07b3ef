public import RxJSON

/// A test of a stream, an action, or a reactor: a table `[test.NAME]`.
public struct StreamTestDefinition: Sendable, Hashable {
    /// What a test runs, with what that reads.
    public enum Target: Sendable, Hashable {
        /// `expect` gives the elements, errors, and end of the stream.
        case stream(String)
        /// `expect` gives the firings of the action.
        case action(String)
        /// `expect` gives the states of the reactor.
        case reactor(String)
    }

    /// The name of the test.
    public var name: String
    /// What the test runs.
    public var target: Target
    /// Marble texts by sources: the name of a stream whose source is replaced, `source` if there is only one, or the
    /// kind of a source and its argument, such as `action:deploy`, `reactor:light`, or `signal:USR1`.
    public var given: [String: String]
    /// The values of the letters; a letter without one is itself.
    public var values: [Character: RawJSON]
    /// When the clock begins, a date and time in the zone; nil for 2000-01-01T00:00Z.
    public var from: String?
    /// When the test ends, likewise; nil for when nothing is pending.
    public var to: String?
    /// The zone, by its IANA name; nil for the machine's.
    public var zone: String?
    /// The outcomes of executions by action, in order; the last one repeats.
    public var mock: [String: [MockOutcome]]
    /// The marble text that must come out.
    public var expect: String

    /// Creates a test.
    public init(
        name: String, target: Target, given: [String: String] = [:], values: [Character: RawJSON] = [:],
        from: String? = nil, to: String? = nil, zone: String? = nil, mock: [String: [MockOutcome]] = [:],
        expect: String
    ) {
        self.name = name
        self.target = target
        self.given = given
        self.values = values
        self.from = from
        self.to = to
        self.zone = zone
        self.mock = mock
        self.expect = expect
    }

    /// The value of a letter.
    func value(_ letter: Character) -> RawJSON { values[letter] ?? RawJSON(.string(String(letter))) }
}

/// How an execution of a mocked action goes.
public struct MockOutcome: Sendable, Hashable {
    /// How it ends.
    public enum Result: Sendable, Hashable {
        /// It emits these elements at its end, and succeeds.
        case elements([RawJSON])
        /// It fails with this error, an object with the facts and perhaps a `name` and a `message`.
        case error(RawJSON)
        /// It does not start, for the reason of this name, such as `notEnabled`.
        case refused(String)
    }

    /// How the execution ends.
    public var result: Result
    /// How long it takes, in microseconds.
    public var takes: Int64

    /// Creates an outcome.
    public init(_ result: Result, takes: Int64 = 0) {
        self.result = result
        self.takes = takes
    }
}
