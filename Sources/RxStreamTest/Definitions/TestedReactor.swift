public import RxJSON
public import RxTime

/// A reactor, as far as its states and executions go.
public struct TestedReactor: Sendable {
    /// What a reactor reacts to.
    public enum Input: Sendable, Hashable {
        /// An action that is dispatched to it.
        case action(RawJSON)
        /// An element of the execution that a rule has started for an action.
        case element(rule: Int, action: RawJSON, RawJSON)
        /// The failure of the execution that a rule has started for an action.
        case failure(rule: Int, action: RawJSON, RawJSON)
        /// A value of one of `sources`, by its index.
        case merged(Int, RawJSON)
    }

    /// What a reactor makes of an input.
    public struct Reaction: Sendable {
        /// The states after each mutation, in order.
        public var states: [RawJSON] = []
        /// The executions that rules start, by their indices.
        public var executions: [(rule: Int, input: RawJSON)] = []
        /// What is wrong with the input, or which program failed; what came before is in `states`.
        public var fault: String?
        /// Whether the rules refuse the action.
        public var isRefused = false

        /// Creates a reaction without any effect.
        public init() {}
    }

    /// What a reactor merges.
    public enum Source: Sendable, Hashable {
        /// The elements of an action.
        case action(String)
        /// The states of another reactor.
        case reactor(String)

        /// The name by which `given` means it.
        var label: String {
            switch self {
            case .action(let name): "action:\(name)"
            case .reactor(let name): "reactor:\(name)"
            }
        }
    }

    /// The state at the beginning.
    public var initial: RawJSON
    /// The action that each rule executes; nil if it executes none.
    public var actions: [String?]
    /// What the reactor merges.
    public var sources: [Source]
    /// Reacts to an input in a state, at a time.
    public var react: @Sendable (_ input: Input, _ state: RawJSON, _ now: Instant) -> Reaction

    /// Creates a reactor.
    public init(
        initial: RawJSON, actions: [String?] = [], sources: [Source] = [],
        react: @escaping @Sendable (_ input: Input, _ state: RawJSON, _ now: Instant) -> Reaction
    ) {
        self.initial = initial
        self.actions = actions
        self.sources = sources
        self.react = react
    }
}
