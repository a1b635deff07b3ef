public import RxJSON
public import RxTime

/// Runs the jq programs of streams: in worker processes under limits (the daemon), or in this process (tests).
public protocol ProgramEvaluator: AnyObject, Sendable {
    /// Runs a program on each input and returns one result per input, in order; of several inputs, only of the first
    /// ones, at least one, if more would take long. The caller waits. Thread-safe.
    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult]

    /// Whether the message of a failure of the program is text that the operator wrote: then it has no values.
    func isOperatorText(_ message: String, of program: StreamProgram) -> Bool
}

extension ProgramEvaluator {
    /// Nothing is known of the text of the program: every message may have values.
    public func isOperatorText(_ message: String, of program: StreamProgram) -> Bool { false }
}

/// A jq program of a stream, with what its results are used for.
public struct StreamProgram: Sendable, Hashable {
    /// The text in the configuration.
    public var text: String
    /// How results are reduced.
    public var use: Use

    /// What the results of a program are used for.
    public enum Use: Sendable, Hashable {
        /// Exactly one result; none, or more than one, is a failure.
        case one
        /// Any number of results, in order.
        case many
        /// A condition: it holds if any result is neither false nor null. The result is one value, `true` or `false`.
        case condition
    }

    /// Creates a program.
    public init(_ text: String, _ use: Use) {
        self.text = text
        self.use = use
    }
}

/// What a program runs on.
public struct ProgramInput: Sendable, Hashable {
    /// The input, `.` in the program.
    public var value: RawJSON
    /// The time of the element, which `now` returns.
    public var time: Instant
    /// `$key`: the key of the element's group; null outside of groups.
    public var key: RawJSON?
    /// `$from`: the element that started the execution; null elsewhere.
    public var from: RawJSON?

    /// Creates an input.
    public init(value: RawJSON, time: Instant, key: RawJSON? = nil, from: RawJSON? = nil) {
        self.value = value
        self.time = time
        self.key = key
        self.from = from
    }
}

/// The result of a program for one input.
public enum ProgramResult: Sendable, Hashable {
    /// The results: one value for the uses `one` and `condition`.
    case values([RawJSON])
    /// The program failed, with jq's message or with the limit that it exceeded.
    case failed(String)
}
