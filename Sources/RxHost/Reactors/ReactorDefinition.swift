public import RxRecords
public import RxJSON

/// Everything that a kind of reactor provides for the host to host it.
public struct ReactorDefinition: Sendable {
    /// The name under which clients find the reactor.
    public var name: String
    /// One line for people; nil for none.
    public var summary: String?
    /// The kind's word: "jq", "builtin".
    public var kind: String
    /// The names of the actions that its rules execute.
    public var executes: Set<String> = []
    /// The rights of clients; `execute` is the right to dispatch.
    public var access = Access()
    /// Nil for a state that lives as long as the host.
    public var persistence: ReactorPersistence?
    /// The most bytes that the state may have as JSON, where escapes in strings need not count. The engine enforces it:
    /// it refuses a longer state with a fault of stage `.size`, and the previous state stays.
    public let stateBytes: Int
    /// A canonical text of everything that decides how actions become states. Equal ones mean the same reactor.
    public var fingerprint: String
    /// A canonical text of everything else.
    public var settings: String
    /// Where its programs are written, by the keys of `ProgramPlace`: for messages only.
    public var lines: [String: SourceLine] = [:]
    /// The schema of actions, for clients that ask for it; `input` enforces it. Nil if any action is accepted.
    public var schema: JSONSchema?
    /// Validates an action before anything starts. Throws `.input` with what is wrong with it.
    public var input: @Sendable (_ action: RawJSON, _ causes: Causes) throws(DispatchRefusal) -> ReactorInput
    /// Distinguishes the definitions that a hosted reactor has had: set by its `ReactorLifecycle`.
    var number: UInt64 = 0
    /// Makes a new engine, which is started once.
    public var makeEngine: @Sendable () -> any ReactorEngine

    /// The default of the limit `stateBytes`: 16 MiB.
    public static let stateBytes = 16 << 20

    /// A definition that accepts any action, unless `input` is given.
    public init(
        name: String, summary: String? = nil, kind: String, fingerprint: String, settings: String = "",
        stateBytes: Int = ReactorDefinition.stateBytes, schema: JSONSchema? = nil,
        input: @escaping @Sendable (_ action: RawJSON, _ causes: Causes) throws(DispatchRefusal) -> ReactorInput = {
            (action, causes) throws(DispatchRefusal) in ReactorInput(action, causes: causes)
        },
        makeEngine: @escaping @Sendable () -> any ReactorEngine
    ) {
        self.name = name
        self.summary = summary
        self.kind = kind
        self.fingerprint = fingerprint
        self.settings = settings
        self.stateBytes = stateBytes
        self.schema = schema
        self.input = input
        self.makeEngine = makeEngine
    }
}
