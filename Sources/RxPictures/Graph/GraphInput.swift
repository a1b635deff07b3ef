/// The rows from which a ``Graph`` is built: one per stream, and one per action or reactor, as `stream.describe` and
/// the configuration give them.
public struct GraphInput: Sendable {
    /// A stream, action, or reactor by name, and which part of it is meant.
    public struct Reference: Sendable, Equatable {
        /// What a name can belong to.
        public enum Kind: String, Sendable {
            /// As in the configuration.
            case stream, action, reactor
        }
        /// What the name belongs to.
        public var kind: Kind
        /// The name in the configuration.
        public var name: String
        /// A channel, a pointer, or a condition.
        public var label: String

        /// A reference; without a label, all of it is meant.
        public init(_ kind: Kind, _ name: String, label: String = "") {
            self.kind = kind
            self.name = name
            self.label = label
        }
    }

    /// A source, in a stream or as the argument of a step.
    public struct Source: Sendable {
        /// The key, such as `calendar`.
        public var key: String
        /// The value, such as `Mon..Fri 08:00`.
        public var value: String
        /// What `stream`, `action`, and `reactor` read; empty for `"*"`.
        public var references: [Reference]
        /// The sources of `merge`, `combineLatest`, and `zip`.
        public var parts: [Source]
        /// What happens at the source now.
        public var figures: GraphFigures

        /// A source as configured.
        public init(
            key: String, value: String = "", references: [Reference] = [], parts: [Source] = [],
            figures: GraphFigures = GraphFigures()
        ) {
            self.key = key
            self.value = value
            self.references = references
            self.parts = parts
            self.figures = figures
        }
    }

    /// An operator of `through`.
    public struct Step: Sendable {
        /// As the protocol numbers it: `2`, or `2.1` for a step of an inner `through`.
        public var number: String
        /// The name of the operator.
        public var operation: String
        /// Its main argument and its options, on one line.
        public var argument: String
        /// The sources that the operator takes, as `withLatestFrom` and `merge` do.
        public var sources: [Source]
        /// The action that the step executes.
        public var executes: String?
        /// The steps of the inner `through`.
        public var inner: [Step]
        /// What happens at the step now.
        public var figures: GraphFigures

        /// A step as configured.
        public init(
            number: String, operation: String, argument: String = "", sources: [Source] = [], executes: String? = nil,
            inner: [Step] = [], figures: GraphFigures = GraphFigures()
        ) {
            self.number = number
            self.operation = operation
            self.argument = argument
            self.sources = sources
            self.executes = executes
            self.inner = inner
            self.figures = figures
        }
    }

    /// A stream with its source and its steps.
    public struct Stream: Sendable {
        /// The name in the configuration, or `NAME@1` of an inline source.
        public var name: String
        /// The key `description`; empty without one.
        public var description: String
        /// Whether the stream is the inline source of an `on`: it gets no node of its own unless something refers to
        /// it.
        public var isInline: Bool
        /// Where its elements come from.
        public var source: Source
        /// Its `through`, in order.
        public var steps: [Step]
        /// What its key `enabled` reads.
        public var conditions: [Reference]
        /// What happens at the end of the stream now.
        public var figures: GraphFigures

        /// A stream as configured.
        public init(
            name: String, description: String = "", isInline: Bool = false, source: Source, steps: [Step] = [],
            conditions: [Reference] = [], figures: GraphFigures = GraphFigures()
        ) {
            self.name = name
            self.description = description
            self.isInline = isInline
            self.source = source
            self.steps = steps
            self.conditions = conditions
            self.figures = figures
        }
    }

    /// An action or a reactor.
    public struct Target: Sendable {
        /// What a target is.
        public enum Kind: String, Sendable {
            /// As in the configuration.
            case action, reactor
        }
        /// What the target is.
        public var kind: Kind
        /// The name in the configuration.
        public var name: String
        /// The names of the streams in its `on`, inline ones included.
        public var on: [String]
        /// What its key `enabled` reads.
        public var conditions: [Reference]
        /// The actions that a reactor's rules execute.
        public var outputs: [Reference]
        /// What happens at the target now.
        public var figures: GraphFigures

        /// A target as configured.
        public init(
            kind: Kind, name: String, on: [String] = [], conditions: [Reference] = [], outputs: [Reference] = [],
            figures: GraphFigures = GraphFigures()
        ) {
            self.kind = kind
            self.name = name
            self.on = on
            self.conditions = conditions
            self.outputs = outputs
            self.figures = figures
        }
    }

    /// What the picture shows.
    public var title: String
    /// All streams, in the order of the configuration.
    public var streams: [Stream]
    /// All actions and reactors, in the order of the configuration.
    public var targets: [Target]

    /// All that is to be drawn.
    public init(title: String, streams: [Stream], targets: [Target]) {
        self.title = title
        self.streams = streams
        self.targets = targets
    }
}
