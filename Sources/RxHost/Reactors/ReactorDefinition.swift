public import RxRecords
public import RxJSON

/// What a kind of reactor must give: everything the host needs to know to host it.
public struct ReactorDefinition: Sendable {
    public var name: String
    public var summary: String?
    /// The kind's word: "jq", "builtin".
    public var kind: String
    /// Who may do what with it: to dispatch is to execute.
    public var access = Access()
    /// Nil for a state that lives as long as the host.
    public var persistence: ReactorPersistence?
    /// Bytes that the state may have as JSON, where escapes in its strings need not count. The engine keeps it so: a longer
    /// one is refused with a fault of stage `.size`, and the one before it stays.
    public let stateBytes: Int
    /// A canonical text of everything that decides how actions become states. Equal ones mean the same reactor.
    public var fingerprint: String
    /// A canonical text of everything else.
    public var settings: String
    /// What an action must look like, for those who ask; `input` sees to it. Nil for anything.
    public var schema: JSONSchema?
    /// Takes an action before anything starts, or throws `.input` with what is wrong with it.
    public var input: @Sendable (_ action: RawJSON, _ by: Origin) throws(DispatchRefusal) -> ReactorInput
    /// A new engine, which is started once.
    public var makeEngine: @Sendable () -> any ReactorEngine

    /// Where nothing else is said.
    public static let stateBytes = 16 << 20

    public init(
        name: String, summary: String? = nil, kind: String, fingerprint: String, settings: String = "",
        stateBytes: Int = ReactorDefinition.stateBytes, schema: JSONSchema? = nil,
        input: @escaping @Sendable (_ action: RawJSON, _ by: Origin) throws(DispatchRefusal) -> ReactorInput = {
            (action, by) throws(DispatchRefusal) in ReactorInput(action, by: by)
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
