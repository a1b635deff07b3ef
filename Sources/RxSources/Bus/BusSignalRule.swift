internal import CSystemd

/// Which signals of a bus a stream emits: those for which all that is given is equal.
public struct BusSignalRule: Sendable, Hashable {
    /// The interface, such as `org.freedesktop.login1.Manager`.
    public let interface: String?
    /// The name of the signal, such as `PrepareForSleep`.
    public let member: String?
    /// The object that sends it.
    public let path: String?
    /// The unique or well-known name of the connection that sends it.
    public let sender: String?

    /// The reason why a rule is invalid.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key at fault; nil for all of them.
        public let key: String?
        /// What is wrong, in a sentence without a period.
        public let description: String
    }

    /// Checks the names.
    ///
    /// - Throws: the fault, for the author of the configuration.
    public init(
        interface: String? = nil, member: String? = nil, path: String? = nil, sender: String? = nil
    ) throws(Fault) {
        guard interface != nil || member != nil || path != nil || sender != nil else {
            let message = "every signal of the bus would match; give an interface, member, path, or sender"
            throw Fault(key: nil, description: message)
        }
        try Self.check("interface", interface, "such as org.example.Thing", sd_bus_interface_name_is_valid)
        try Self.check("member", member, "such as Changed", sd_bus_member_name_is_valid)
        try Self.check("path", path, "such as /org/example/thing", sd_bus_object_path_is_valid)
        try Self.check("sender", sender, "such as org.example.Service or :1.7", sd_bus_service_name_is_valid)
        self.interface = interface
        self.member = member
        self.path = path
        self.sender = sender
    }

    private static func check(
        _ key: String, _ value: String?, _ example: String, _ isValid: (UnsafePointer<CChar>?) -> Int32
    ) throws(Fault) {
        guard let value, value.utf8.contains(0) || value.withCString({ isValid($0) }) <= 0 else { return }
        throw Fault(key: key, description: "\(value.debugDescription) is not a valid \(key); write one \(example)")
    }

    /// The rule in the language of the bus. The names have no characters that need quotes.
    var text: String {
        let keys = [("interface", interface), ("member", member), ("path", path), ("sender", sender)]
        return keys.reduce("type='signal'") { text, key in
            key.1.map { "\(text),\(key.0)='\($0)'" } ?? text
        }
    }

    /// Whether a signal is one of these.
    ///
    /// - Parameter owner: the owner of a sender that is a well-known name.
    func holds(for message: BusMessage, owner: String?) -> Bool {
        let isSender =
            if let sender { message.sender == (BusNameOwner.isNeeded(for: sender) ? owner : sender) } else { true }
        return isSender && (interface ?? message.interface) == message.interface
            && (member ?? message.member) == message.member && (path ?? message.path) == message.path
    }
}
