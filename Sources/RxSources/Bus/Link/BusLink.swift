internal import RxJSON
internal import RxPlatform

/// A bus that a daemon can use.
enum BusKind: Sendable, Hashable {
    /// The bus of the machine.
    case system
    /// The bus of the daemon's user.
    case user

    /// For messages: "system bus".
    var text: String {
        switch self {
        case .system: "system bus"
        case .user: "user bus"
        }
    }
}

/// Opens connections to buses.
protocol BusSystem: Sendable {
    /// Opens a connection, whose calls and callbacks happen on `queue`.
    ///
    /// - Parameter lost: called once, on the queue, if the connection ends before `close`.
    func open(
        _ bus: BusKind, on queue: WorkQueue, lost: @escaping @Sendable (BusFailure) -> Void
    ) throws(BusFailure) -> any BusLink
}

/// A connection to a bus. Belongs to its queue, on which all callbacks are made, none of them within a call.
protocol BusLink: AnyObject {
    /// Asks the bus for the signals that a match rule describes. Others may come as well: see `BusMessage.sender`.
    ///
    /// - Parameters:
    ///   - installed: called once, before any call of `handler`: with nil, or with the reason why the bus refused.
    ///   - handler: called for each signal until the match is removed.
    func match(
        _ rule: String, installed: @escaping (BusFailure?) -> Void, _ handler: @escaping (BusMessage) -> Void
    ) -> any BusMatch
    /// Calls a method; `reply` is called once with the arguments of the reply. It may be lost with the connection.
    func call(_ call: BusCall, _ reply: @escaping (Result<[JSONValue], BusFailure>) -> Void)
    /// Ends the connection; no callbacks follow. A second call has no effect.
    func close()
}

/// A match that was added to a connection.
protocol BusMatch: AnyObject {
    /// Ends the calls of its handler. A second call has no effect.
    func remove()
}

/// A signal.
struct BusMessage {
    /// The unique name of the connection that sent it, such as `:1.7`; `org.freedesktop.DBus` for the bus itself.
    ///
    /// A rule with a well-known name as its sender does not keep out signals of other senders that another rule of the
    /// connection asked for, because the bus does not report which rule a signal was sent for.
    var sender: String
    var path: String
    var interface: String
    var member: String
    /// A failure if they are too large to be converted.
    var arguments: Result<[JSONValue], BusFailure>
}

/// A method call whose arguments are strings or arrays of strings.
struct BusCall: Hashable {
    enum Argument: Hashable {
        case string(String)
        case strings([String])
    }

    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: [Argument] = []
}

/// The reason why a connection, a call, or a message failed.
struct BusFailure: Error, Hashable, CustomStringConvertible {
    /// The error name of the bus or of the called program; nil for a failure of the connection.
    var name: String?
    /// What is wrong, in a sentence without a period.
    var description: String
}
