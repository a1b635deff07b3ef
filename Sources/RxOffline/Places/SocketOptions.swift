package import ArgumentParser
internal import RxConfiguration
internal import RxPlatform

/// Who may connect to a socket that rxd makes. Under systemd, the socket unit decides.
package struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The mode of the socket, in octal, without rights for others. Default: 0660, with --user 0600.",
            valueName: "mode"),
        transform: { try SocketMode($0) })
    package var socketMode: SocketMode?

    @Option(
        help: ArgumentHelp(
            "The group of the socket, by name or gid. Default: that of the process.", valueName: "group"),
        transform: { try SocketGroup($0) })
    package var socketGroup: SocketGroup?

    package init() {}

    /// The options that are given, for a message.
    package var given: [String] {
        [socketMode.map { _ in "--socket-mode" }, socketGroup.map { _ in "--socket-group" }].compactMap { $0 }
    }
}

/// The mode of a socket: read and write for its owner, perhaps for its group, and never for others.
///
/// A configuration grants rights to everyone who can connect unless it states otherwise, so a mode for others would
/// give every user of the machine the right to execute.
package struct SocketMode: Sendable {
    package static let ofGroup = SocketMode(bits: 0o660)
    package static let ofUser = SocketMode(bits: 0o600)

    package let bits: UInt32

    private init(bits: UInt32) { self.bits = bits }

    init(_ text: String) throws {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt32(text, radix: 8)
        else { throw ValidationError("\(text.debugDescription) is not a mode; write one in octal, such as 0660") }
        guard bits & 0o007 == 0 else {
            throw ValidationError(
                """
                \(text) lets every user of the machine connect; use 0660 with --socket-group, or a socket unit of \
                systemd with SocketMode=
                """)
        }
        guard bits & ~0o660 == 0, bits & 0o600 == 0o600 else {
            throw ValidationError("\(text) is not a mode of a socket; write 0600, or 0660 for its group too")
        }
        self.bits = bits
    }
}

/// A group that exists, or a gid.
package struct SocketGroup: Sendable {
    package let gid: UInt32

    init(_ text: String) throws { try self.init(text, identities: .system) }

    init(_ text: String, identities: Identities) throws {
        switch identities.find(.group, text) {
        case .id(let gid): self.gid = gid
        case .failed(let errno):
            throw ValidationError("the group \(text) cannot be looked up: \(SystemErrorName.sentence(of: errno))")
        case .unknown:
            // -1 would mean: no change.
            guard let gid = UInt32(text), gid != .max else {
                throw ValidationError("there is no group \(text.debugDescription); see `getent group`")
            }
            self.gid = gid
        }
    }
}
