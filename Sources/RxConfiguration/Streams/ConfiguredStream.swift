package import RxHost
package import RxStreams

/// One `[stream.NAME]`, or one source inline in an `on`.
package struct ConfiguredStream: Sendable, Equatable {
    package var definition: StreamDefinition
    /// The action or reactor in whose `on` the source is inline; nil for a `[stream.NAME]`.
    package var owner: BindingDefinition.Target?
    /// Who may do what, by default and beyond it.
    package var access: StreamAccess
    /// The condition for running; nil for always.
    package var condition: EnabledCondition?
    /// The lines of its steps and programs, by their keys in its table, such as `through[0]` and `through[0].map`; that
    /// of the table itself by "".
    package var lines: [String: SourceLine] = [:]

    package var name: String { definition.name }
}

/// Who may use a stream.
package struct StreamAccess: Sendable, Equatable {
    /// The names of the actions, reactors, and streams that the stream reads or executes. Whoever may see all of them
    /// may see the stream.
    package var parts: Set<String> = []
    /// Whether a source shows more than the parts, so that only those with the right `manage` may see the stream.
    package var needsManage = false
    /// What `allow` grants beyond that: nobody, unless given. Its `manage` is that of `[access]`, unless given.
    package var granted: Access

    package init(parts: Set<String> = [], needsManage: Bool = false, granted: Access) {
        self.parts = parts
        self.needsManage = needsManage
        self.granted = granted
    }
}
