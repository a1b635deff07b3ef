public import RxAction
package import RxJSON

/// The executions whose ends a request waits for.
public struct AwaitedEnds: Sendable, Hashable {
    /// The executions, none of which had ended at the acceptance of the request.
    public var executions: [ExecutionID]
    /// Whether the request is carried out only if all of them complete.
    public var ifCompleted: Bool

    /// The ends of `executions`.
    public init(_ executions: [ExecutionID], ifCompleted: Bool) {
        self.executions = executions
        self.ifCompleted = ifCompleted
    }
}

extension AwaitedEnds {
    /// As the store keeps it. Later versions read what this one writes.
    package var stored: RawJSON {
        RawJSON([
            "executions": .array(executions.map { .string($0.description) }), "ifCompleted": .bool(ifCompleted),
        ])
    }

    /// Nil for a value that no version has written.
    package init?(stored: RawJSON) {
        let value = stored.value()
        guard let ids = value["executions"]?.array else { return nil }
        let executions = ids.compactMap { $0.string.flatMap { ExecutionID($0) } }
        guard executions.count == ids.count else { return nil }
        self.init(executions, ifCompleted: value["ifCompleted"]?.bool ?? false)
    }
}
