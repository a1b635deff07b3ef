internal import RxJSON

/// What makes a reactor of jq programs: how actions become mutations, and mutations states.
public struct JqReactorPrograms: Sendable, Hashable {
    /// Applies to the actions for which `when` holds; all that is said of an action is asked of `{action, state}`.
    public struct Rule: Sendable, Hashable {
        /// Nil: always.
        public var when: String?
        /// Each answer is a mutation.
        public var mutation: String?
        /// Whether something is to be executed,
        public var executes = false
        /// once for each answer of this; nil: once, with the action.
        public var input: String?
        /// What an element of the execution becomes, over `{action, state, element}`.
        public var element: String?
        /// What its failure becomes, over `{action, state, error}`.
        public var failure: String?

        public init() {}
    }

    public var rules: [Rule] = []
    /// What a merged value becomes: mutations, over `{state, element}`, or `{state, other}` for another reactor's state.
    public var merges: [String] = []
    /// The new state, over `{state, mutation}`.
    public var reduce: String

    public init(reduce: String) {
        self.reduce = reduce
    }

    /// How deep a state may be: as deep as a text that clients read, less what it travels in.
    static let depth = JSONLimits().depth - 8

    /// What a worker is told first.
    func setup(state: JSONValue, stateBytes: Int) -> [UInt8] {
        var programs: [String] = []
        func number(_ program: String?) -> Int? {
            guard let program else { return nil }
            programs.append(program.allSatisfy(\.isWhitespace) ? "." : program)
            return programs.count - 1
        }
        var writer = JSONWriter(reserving: 4096)
        writer.beginObject()
        writer.key("rules")
        writer.array { writer in
            for rule in rules {
                writer.object { writer in
                    if let when = number(rule.when) { writer.field("when", when) }
                    if let mutation = number(rule.mutation) { writer.field("mutation", mutation) }
                    writer.field("execute", rule.executes)
                    if let input = number(rule.input) { writer.field("input", input) }
                    if let element = number(rule.element) { writer.field("element", element) }
                    if let failure = number(rule.failure) { writer.field("failure", failure) }
                }
            }
        }
        writer.key("merges")
        writer.array { writer in merges.forEach { writer.int(number($0) ?? 0) } }
        writer.field("reduce", number(reduce) ?? 0)
        writer.key("programs")
        writer.array { writer in programs.forEach { writer.string($0) } }
        writer.field("stateBytes", stateBytes)
        writer.field("depth", Self.depth)
        writer.field("state", state)
        writer.endObject()
        return writer.bytes
    }
}
