/// An `on`: each element of a stream becomes an input of an action, or an action of a reactor.
public struct BindingDefinition: Sendable, Hashable {
    /// What an element is given to.
    public enum Target: Sendable, Hashable {
        /// The action is executed.
        case action(String)
        /// The action is dispatched to the reactor.
        case reactor(String)

        /// The name of the action or reactor.
        public var name: String {
            switch self {
            case .action(let name), .reactor(let name): name
            }
        }
    }

    /// What happens to an element while a queue is full.
    public enum WhenFull: String, Sendable, Hashable, CaseIterable {
        /// The stream waits, if its source can.
        case wait
        /// The element is refused.
        case refuse
    }

    /// What an element is given to.
    public var target: Target
    /// The name of the stream; that of an inline source is `NAME@1`, `NAME@2`, or its own.
    public var stream: String
    /// Gives the input of an element; nil if the element is the input.
    public var input: StreamProgram?
    /// What happens while a queue is full.
    public var whenFull: WhenFull

    /// Creates a binding.
    public init(target: Target, stream: String, input: StreamProgram? = nil, whenFull: WhenFull = .wait) {
        self.target = target
        self.stream = stream
        self.input = input
        self.whenFull = whenFull
    }
}
