internal import JSONRPC
public import RxJSON

/// What is asked of `action.execute`.
public struct ExecuteRequest: Sendable {
    /// What the end of the connection means for the execution.
    public enum OnDisconnect: String, Sendable {
        /// It goes on.
        case detach
        /// This requester withdraws; the last one to do so cancels it.
        case cancel
    }

    public var action: String
    /// The daemon takes none for `null`.
    public var input: RawJSON?
    public var onDisconnect: OnDisconnect
    /// Longest the work may take, as on the wire ("500ms", "10s"); the action's own limit stays.
    public var timeout: String?
    /// Makes a repetition harmless: for some time the same key gets the same execution, and no second one.
    public var key: String?

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
        writer.endObject()
        return RawJSON(unchecked: writer.bytes)
    }
}
