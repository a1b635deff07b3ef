/// A source, step, stream, action, or reactor in a ``Graph``.
public struct GraphNode: Sendable, Equatable {
    /// What a node is; each has a shape of its own.
    public enum Kind: String, Sendable {
        /// Where elements come from.
        case source
        /// An operator of `through`.
        case step
        /// What has a name and can be referred to.
        case stream, action, reactor
    }

    /// Unique in its graph.
    public var id: String
    /// What the node is.
    public var kind: Kind
    /// The key of a source, the operator of a step, or the name of a stream, action, or reactor.
    public var label: String
    /// What follows the label: the value of a source, the argument of a step. Renderers cut it.
    public var detail: String
    /// The stream that a source or a step belongs to, by name.
    public var stream: String?
    /// The step around this one, whose inner stream it belongs to: a box is drawn around the inner steps.
    public var parent: String?
    /// What happens at the node now.
    public var figures: GraphFigures

    /// A node; without figures, it is drawn as configured.
    public init(
        id: String, kind: Kind, label: String, detail: String = "", stream: String? = nil, parent: String? = nil,
        figures: GraphFigures = GraphFigures()
    ) {
        self.id = id
        self.kind = kind
        self.label = label
        self.detail = detail
        self.stream = stream
        self.parent = parent
        self.figures = figures
    }

    /// The name by which a user refers to the node: its own, or that of its stream.
    public var name: String? {
        switch kind {
        case .source, .step: stream
        case .stream, .action, .reactor: label
        }
    }
}

/// What a running daemon knows about a node. Without a daemon, everything is nil.
public struct GraphFigures: Sendable, Equatable {
    /// Elements that left the node, per minute.
    public var perMinute: Double?
    /// Firings that were refused since the daemon started.
    public var refused: Int?
    /// Why the node waits for its environment.
    public var waiting: String?
    /// Why the node is disabled; empty if no reason is known.
    public var disabled: String?
    /// Whether the stream has ended.
    public var isEnded: Bool

    /// Figures as far as they are known.
    public init(
        perMinute: Double? = nil, refused: Int? = nil, waiting: String? = nil, disabled: String? = nil,
        isEnded: Bool = false
    ) {
        self.perMinute = perMinute
        self.refused = refused
        self.waiting = waiting
        self.disabled = disabled
        self.isEnded = isEnded
    }

    /// Whether nothing leaves the node at present.
    var isOff: Bool { waiting != nil || disabled != nil || isEnded }

    /// The rate and the number of refusals, such as `12/min · 3 refused`; empty if neither is known.
    var counts: String {
        var parts: [String] = []
        if let perMinute { parts.append(Figures.perMinute(perMinute)) }
        if let refused, refused > 0 { parts.append("\(Figures.short(Double(refused))) refused") }
        return parts.joined(separator: " · ")
    }

    /// Why nothing leaves the node, such as `waiting: /srv does not exist`; empty if something may.
    var state: String {
        if let disabled { return disabled.isEmpty ? "disabled" : "disabled: \(disabled.oneLine)" }
        if let waiting { return waiting.isEmpty ? "waiting" : "waiting: \(waiting.oneLine)" }
        return isEnded ? "ended" : ""
    }
}

/// A connection in a ``Graph``.
public struct GraphEdge: Sendable, Equatable {
    /// What an edge means; each has a line of its own.
    public enum Kind: String, Sendable {
        /// Elements flow along it.
        case data
        /// Elements flow back, through an action or a reactor, to what caused them.
        case feedback
        /// The value at `from` decides whether `to` is enabled.
        case condition
        /// `to` reads the current value of `from`.
        case read
    }

    /// The identity of the node where it begins.
    public var from: String
    /// The identity of the node where it ends.
    public var to: String
    /// What it means.
    public var kind: Kind
    /// Which part of `from` is meant: a channel, a pointer, or the condition.
    public var label: String
    /// Elements per minute; nil if unknown.
    public var perMinute: Double?

    /// An edge between two nodes by their identities.
    public init(from: String, to: String, kind: Kind = .data, label: String = "", perMinute: Double? = nil) {
        self.from = from
        self.to = to
        self.kind = kind
        self.label = label
        self.perMinute = perMinute
    }

    /// The label and the rate, such as `errors · 3/min`.
    var caption: String {
        let rate = perMinute.map { Figures.perMinute($0) }
        let word = kind == .condition ? "enabled " : ""
        return [(word + label).oneLine, rate ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
