internal import RxJSON

/// The connection that owns a well-known name of a bus, such as that of systemd: the only one whose signals may count
/// as those of the name. Belongs to the queue of its connection.
final class BusNameOwner {
    private static let bus = "org.freedesktop.DBus"

    /// The unique name of the owner; nil if there is none, or while it is not known yet.
    private(set) var owner: String?
    private let name: String
    private let changed: (BusNameOwner) -> Void
    private var match: (any BusMatch)?

    /// Whether signals of a name need an owner: not those of a unique name, or of the bus.
    static func isNeeded(for name: String) -> Bool { !name.hasPrefix(":") && name != bus }

    /// - Parameters:
    ///   - changed: called once the owner is known, and after each change.
    ///   - failed: called if the bus refuses to report owners.
    init(
        of name: String, on link: any BusLink, failed: @escaping (BusFailure) -> Void,
        changed: @escaping (BusNameOwner) -> Void
    ) {
        self.name = name
        self.changed = changed
        let rule =
            "type='signal',sender='\(Self.bus)',path='/org/freedesktop/DBus',interface='\(Self.bus)',"
            + "member='NameOwnerChanged',arg0='\(name)'"
        match = link.match(
            rule,
            installed: { [weak self] failure in
                if let failure { return failed(failure) }
                self?.ask(link)
            }, { [weak self] in self?.received($0) })
    }

    /// Ends the calls.
    func cancel() {
        match?.remove()
        match = nil
    }

    private func ask(_ link: any BusLink) {
        let call = BusCall(
            destination: Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "GetNameOwner",
            arguments: [.string(name)])
        link.call(call) { [weak self] result in
            // A name without an owner is an error.
            self?.set((try? result.get())?.first?.string)
        }
    }

    private func received(_ message: BusMessage) {
        guard message.sender == Self.bus, message.member == "NameOwnerChanged",
            let arguments = try? message.arguments.get(), arguments.count == 3, arguments[0].string == name
        else { return }
        set(arguments[2].string.flatMap { $0.isEmpty ? nil : $0 })
    }

    private func set(_ owner: String?) {
        guard match != nil else { return }
        self.owner = owner
        changed(self)
    }
}
