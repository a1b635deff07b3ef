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
    /// Bytes of the state, as JSON.
    public var stateBytes = ReactorDefinition.stateBytes
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
        schema: JSONSchema? = nil,
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
        self.schema = schema
        self.input = input
        self.makeEngine = makeEngine
    }
}

/// How a reactor's states outlive the daemon.
public struct ReactorPersistence: Sendable, Hashable {
    /// What the answer to a dispatch promises of its mutations.
    public enum Durability: String, Sendable, CaseIterable {
        /// They are on the disk: they survive the machine's sudden end.
        case sync
        /// They are about to be written, in their order: a sudden end may take the last of them, never one before another.
        case normal
        /// Nothing: they are written some time later.
        case off
    }

    /// What happens to kept states when the reactor is no longer the one that made them.
    public enum ChangePolicy: String, Sendable, CaseIterable {
        /// The newest state stays as it is.
        case keep
        /// The mutations that are kept are reduced anew, from the oldest state that is kept.
        case replay
    }

    public var durability = Durability.normal
    public var onChange = ChangePolicy.keep
    /// Revisions of which the history knows action, mutation and state.
    public var history = 10_000

    public init() {}
}
