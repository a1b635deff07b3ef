/// A right that a client lacks, in words.
struct MissingRight {
    /// What the client wanted to do.
    private let operation: String
    /// What it wanted to do that with: `the action deploy`.
    private let object: String
    /// The key of the configuration that grants the right.
    private let key: String
    /// The right, as the configuration names it.
    let right: String

    /// Without a name, the object is the daemon itself.
    init(
        _ operation: String, action: String? = nil, reactor: String? = nil, stream: String? = nil,
        execution: String? = nil
    ) {
        var operation = operation
        if let execution {
            object = "the execution \(execution)" + (action.map { " of \($0)" } ?? "")
            // Whoever requested an execution may read it, and cancel it with the right to execute.
            right = operation == "cancel" ? "manage" : "subscribe"
        } else {
            right = operation
            switch (operation, reactor != nil, stream != nil) {
            case ("execute", true, _): operation = "dispatch to"
            case ("execute", _, true): operation = "send to"
            case ("subscribe", _, _): operation = "subscribe to"
            default: break
            }
            object =
                action.map { "the action \($0)" } ?? reactor.map { "the reactor \($0)" }
                ?? stream.map { "the stream \($0)" } ?? "the daemon"
        }
        self.operation = operation
        key =
            action.map { "allow of [action.\($0)]" } ?? reactor.map { "allow of [reactor.\($0)]" }
            ?? stream.map { "allow of [stream.\($0)]" } ?? "manage in [access]"
    }

    /// - Parameter contact: whom to ask for the right; nil if nobody is named.
    func message(uid: UInt32, contact: String?) -> String {
        // Any right is enough to read.
        let lack = right == "read" ? "it has no right" : "it lacks the right \"\(right)\""
        return "uid \(uid) may not \(operation) \(object): \(lack); "
            + (contact.map { "ask \($0) for it" } ?? "\(key) grants it")
    }
}
