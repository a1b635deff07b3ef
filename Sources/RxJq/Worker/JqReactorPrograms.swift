internal import RxJSON

/// The programs of a jq reactor, which turn actions into mutations and mutations into states.
public struct JqReactorPrograms: Sendable, Hashable {
    /// A rule for the actions for which `when` holds. Programs about an action have the input `{action, state}`.
    public struct Rule: Sendable, Hashable {
        /// The condition program; nil: always.
        public var when: String?
        /// A program whose answer is the reason why the actions for which `when` holds are refused; nil: they are not.
        /// Such rules come first, and do nothing else.
        public var refuse: String?
        /// A program whose answers are mutations; nil: none.
        public var mutation: String?
        /// Whether the rule executes an action.
        public var executes = false
        /// A program whose answers are inputs of executions; nil: one execution, with the action as its input.
        public var input: String?
        /// A program over `{action, state, element}` whose answers are mutations, for each element of an execution;
        /// nil: none.
        public var element: String?
        /// A program over `{action, state, error}` whose answers are mutations, for a failed execution; nil: none.
        public var failure: String?

        /// Creates a rule that applies to every action and does nothing.
        public init() {}
    }

    /// The rules, in the order of evaluation. Without rules, each action is a mutation.
    public var rules: [Rule] = []
    /// Whether an action is ignored for which no rule holds; otherwise, it is refused.
    public var ignoresOthers = false
    /// Programs whose answers are mutations for a merged value: over `{state, element}`, or over `{state, other}` for
    /// the state of another reactor.
    public var merges: [String] = []
    /// A program over `{state, mutation}` that answers with the new state.
    public var reduce: String

    /// Creates programs without rules and merges.
    public init(reduce: String) {
        self.reduce = reduce
    }

    /// The deepest state: the depth that clients can read, minus that of the enclosing message.
    static let depth = JSONLimits().depth - 8

    /// The first message to a worker.
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
                    if let refuse = number(rule.refuse) { writer.field("refuse", refuse) }
                    if let mutation = number(rule.mutation) { writer.field("mutation", mutation) }
                    writer.field("execute", rule.executes)
                    if let input = number(rule.input) { writer.field("input", input) }
                    if let element = number(rule.element) { writer.field("element", element) }
                    if let failure = number(rule.failure) { writer.field("failure", failure) }
                }
            }
        }
        writer.field("ignores", ignoresOthers)
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
