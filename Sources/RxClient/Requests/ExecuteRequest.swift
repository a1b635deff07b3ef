internal import JSONRPC
public import RxJSON

/// The parameters of `action.execute`.
public struct ExecuteRequest: Sendable {
    /// What the end of the connection means for the execution.
    public enum OnDisconnect: String, Sendable {
        /// The execution goes on.
        case detach
        /// This requester withdraws; the execution is canceled when the last requester withdraws.
        case cancel
    }

    /// The action's name.
    public var action: String
    /// Its input; without one the daemon takes `null`.
    public var input: RawJSON?
    /// What the end of the connection means for the execution.
    public var onDisconnect: OnDisconnect
    /// Longest the work may take, as on the wire ("500ms", "10s"); the action's own limit applies too.
    public var timeout: String?
    /// Makes a repetition harmless: for some time, the same key returns the same execution instead of starting another.
    public var key: String?
    /// The id of an execution, or the name of an action, whose end the work waits for; nil for none.
    public var after: String?
    /// Whether the execution fails instead if what it waits for does not complete.
    public var ifCompleted = false

    /// A request with these parameters.
    public init(
        action: String, input: RawJSON? = nil, onDisconnect: OnDisconnect = .detach, timeout: String? = nil,
        key: String? = nil
    ) {
        self.action = action
        self.input = input
        self.onDisconnect = onDisconnect
        self.timeout = timeout
        self.key = key
    }

    func params(stream: String?) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("action")
        writer.string(action)
        if let input {
            writer.key("input")
            writer.raw(input)
        }
        if let stream {
            writer.key("stream")
            writer.string(stream)
        }
        if onDisconnect != .detach {
            writer.key("onDisconnect")
            writer.string(onDisconnect.rawValue)
        }
        if let timeout {
            writer.key("timeout")
            writer.string(timeout)
        }
        if let key {
            writer.key("key")
            writer.string(key)
        }
        if let after {
            writer.key("after")
            writer.string(after)
            if ifCompleted { writer.field("ifCompleted", true) }
        }
        writer.endObject()
        return RawJSON(unchecked: writer.bytes)
    }
}
