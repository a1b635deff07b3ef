internal import Glibc

/// Which units a stream observes: one by its name, or all loaded ones whose names a glob matches.
public struct UnitPattern: Sendable, Hashable, CustomStringConvertible {
    /// The name or glob, as in the configuration.
    public let description: String
    /// Whether it is a glob, with `*`, `?`, or `[…]`.
    public let isGlob: Bool

    /// The reason why a text names no unit.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong and what to do, in a sentence without a period.
        public let description: String
    }

    /// The most bytes of a unit's name, as systemd has it.
    private static let mostBytes = 255

    /// Checks a name or glob.
    ///
    /// - Throws: the fault, for the author of the configuration.
    public init(_ text: String) throws(Fault) {
        isGlob = text.utf8.contains { "*?[".utf8.contains($0) }
        description = text
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes, text.utf8.allSatisfy(Self.isAllowed) else {
            let name = text.debugDescription
            throw Fault(description: "\(name) is not the name of a unit; write one such as nginx.service")
        }
        guard !isGlob else { return }
        guard UnitKind(of: text) != nil else {
            throw Fault(description: "\(text) has no type; write \(text).service if it is a service")
        }
        guard text.utf8.first != UInt8(ascii: "."), !text.contains("@.") else {
            throw Fault(description: "\(text) is not a unit that can run; name an instance, such as getty@tty1.service")
        }
    }

    /// Whether a unit is one of these.
    func holds(for unit: String) -> Bool {
        isGlob ? fnmatch(description, unit, FNM_NOESCAPE) == 0 : unit == description
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case _: ":-_.\\@*?[]!^".utf8.contains(byte)
        }
    }
}
