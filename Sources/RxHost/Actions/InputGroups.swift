internal import RxAction
public import RxJSON

/// Puts the inputs of an action into groups. Each group has the action's overlap for itself, as if it were an action of
/// its own.
public struct InputGroups: Sendable {
    /// The most groups of an action that have executions at a time. An input of another group is refused then.
    public static let most = Overlap.mostGroups

    /// The longest name of a group, in bytes: an id or a path. Names are kept in memory while their groups have
    /// executions, and with durable inputs.
    public static let nameBytes = 1024

    /// The group of an input, or why it has none.
    public enum Result: Sendable, Hashable {
        /// The name of the group.
        case group(String)
        /// The input has no group, for this reason.
        case fault(String)
    }

    /// What makes the groups, for clients: the text of a program.
    public let text: String?

    private let evaluate: @Sendable (_ input: RawJSON, _ time: Int64) -> Result

    /// - Parameters:
    ///   - text: what makes the groups, for clients.
    ///   - evaluate: the group of an input that is valid, at a time in milliseconds since 1970. The caller waits; any
    ///     thread.
    public init(text: String? = nil, _ evaluate: @escaping @Sendable (_ input: RawJSON, _ time: Int64) -> Result) {
        self.text = text
        self.evaluate = evaluate
    }

    /// The group of a valid input, within the limit, at a time in milliseconds since 1970.
    package func group(of input: RawJSON, at time: Int64) -> Result {
        switch evaluate(input, time) {
        case .group(let name) where name.utf8.count > Self.nameBytes:
            .fault("gave more than \(Self.nameBytes) bytes")
        case let result: result
        }
    }
}

extension ActionDefinition {
    /// The group of a valid input; nil for an action without groups.
    ///
    /// - Parameter time: milliseconds since 1970.
    func group(of input: RawJSON, at time: Int64) -> InputGroups.Result? {
        guard let groups else { return nil }
        switch groups.group(of: input, at: time) {
        // jq's messages quote values.
        case .fault where schema.flatMap({ SecretMask($0, input) }) != nil:
            return .fault("failed, on an input with secret values")
        case let result: return result
        }
    }
}

extension InputFault {
    /// - Parameter reason: why an input has no group.
    init(ungrouped reason: String) {
        self.init(path: "", message: "has no group, because the program `by` of the action \(reason)")
    }
}
