internal import Glibc

/// The environment of a process: the daemon's own without the variables that systemd addresses to the daemon, then the
/// action's, then `RX_ACTION`, `RX_EXECUTION`, `RX_ATTEMPT`, `RX_LEDGER`, and, for a slot, `RX_SCHEDULED`.
package struct ProcessEnvironment: Sendable {
    /// The search path if nothing sets PATH.
    static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    static let actionVariable = "RX_ACTION"
    static let executionVariable = "RX_EXECUTION"
    /// The daemon that has started the process: `ProcessLedger.name`.
    static let ledgerVariable = "RX_LEDGER"
    /// The number of the attempt, from 1.
    static let attemptVariable = "RX_ATTEMPT"
    /// The slot that started the execution, in UTC.
    static let slotVariable = "RX_SCHEDULED"

    /// `NAME=value` with a final NUL, as bytes, because a value need not be UTF-8.
    private let inheritedEntries: [[UInt8]]

    /// The daemon's environment at the time of first use.
    package static let inherited = ProcessEnvironment(entries: currentEntries())

    init(entries: [[UInt8]]) {
        inheritedEntries = entries.filter { entry in
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return false }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            return Self.isName(name) && !Self.isReserved(name)
        }.map { $0 + [0] }
    }

    /// Whether the configuration may not set a variable, because every process gets it or none does.
    package static func isReserved(_ name: String) -> Bool {
        [actionVariable, executionVariable, attemptVariable, ledgerVariable, slotVariable, "NOTIFY_SOCKET"]
            .contains(name)
            || name.hasPrefix("LISTEN_") || name.hasPrefix("WATCHDOG_")
    }

    /// Whether swift-subprocess accepts a variable name.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            && !name.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0 }
    }

    /// All entries for one execution, each with a final NUL.
    func entries(
        adding own: [String: String], action: String, execution: String, attempt: Int = 1,
        ledger: String? = nil, slot: String? = nil
    ) -> [[UInt8]] {
        var names = Set(own.keys.map { Array("\($0)=".utf8) })
        // Keep an inherited variable only if nothing replaces it.
        names.insert(Array("\(Self.actionVariable)=".utf8))
        var entries =
            own.isEmpty
            ? inheritedEntries
            : inheritedEntries.filter { entry in
                let equals = entry.firstIndex(of: UInt8(ascii: "=")) ?? entry.startIndex
                return !names.contains(Array(entry[...equals]))
            }
        entries += own.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)\0".utf8) }
        entries.append(Array("\(Self.actionVariable)=\(action)\0".utf8))
        entries.append(Array("\(Self.executionVariable)=\(execution)\0".utf8))
        entries.append(Array("\(Self.attemptVariable)=\(attempt)\0".utf8))
        if let ledger { entries.append(Array("\(Self.ledgerVariable)=\(ledger)\0".utf8)) }
        if let slot { entries.append(Array("\(Self.slotVariable)=\(slot)\0".utf8)) }
        return entries
    }

    /// The search path for a program: the action's PATH, or else the inherited one.
    func path(adding own: [String: String]) -> String {
        if let path = own["PATH"] { return path }
        let prefix = Array("PATH=".utf8)
        let inherited = inheritedEntries.first { $0.starts(with: prefix) }
        return inherited.map { String(decoding: $0.dropFirst(prefix.count).dropLast(), as: UTF8.self) }
            ?? Self.defaultPath
    }

    private static func currentEntries() -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var next = environ
        while let entry = next.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            entries.append(Array(bytes))
            next += 1
        }
        return entries
    }
}
