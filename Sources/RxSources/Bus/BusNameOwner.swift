internal import RxJSON

/// The connection that owns a well-known name of a bus, such as that of systemd: the only one whose signals may count
/// as those of the name. Belongs to the queue of its connection.
final class BusNameOwner {
    private static let bus = "org.freedesktop.DBus"
    private static let noOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"

    /// The unique name of the owner; nil if there is none, or while it is not known yet.
    private(set) var owner: String?
    private let name: String
    private let changed: (BusNameOwner) -> Void
    private let failed: (BusFailure) -> Void
    private var match: (any BusMatch)?
    /// Whether the bus has reported an owner, or that there is none.
    private var isKnown = false

    /// Whether signals of a name need an owner: not those of a unique name, or of the bus.
    static func isNeeded(for name: String) -> Bool { !name.hasPrefix(":") && name != bus }

    /// - Parameters:
    ///   - changed: called once the owner is known, and after each change.
    ///   - failed: called if the bus refuses to report owners, or does not answer.
    init(
        of name: String, on link: any BusLink, failed: @escaping (BusFailure) -> Void,
        changed: @escaping (BusNameOwner) -> Void
    ) {
        self.name = name
        self.changed = changed
        self.failed = failed
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
            switch result {
            case .success(let arguments): self?.set(arguments.first?.string)
            case .failure(let failure) where failure.name == Self.noOwner: self?.set(nil)
            case .failure(let failure): self?.unknown(failure)
            }
        }
    }

    /// The bus has not answered. It may have reported a change in the meantime.
    private func unknown(_ failure: BusFailure) {
        guard match != nil, !isKnown else { return }
        failed(BusFailure(name: failure.name, description: "the owner of \(name) is unknown: \(failure)"))
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
        isKnown = true
        changed(self)
    }
}
