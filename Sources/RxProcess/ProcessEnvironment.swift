internal import Glibc

/// The variables a process starts with: the daemon's own, without what systemd says to the daemon alone, then the
/// action's, then `RX_ACTION`, `RX_EXECUTION` and `RX_ATTEMPT`.
package struct ProcessEnvironment: Sendable {
    /// Searched when nothing sets PATH.
    static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    static let actionVariable = "RX_ACTION"
    static let executionVariable = "RX_EXECUTION"
    /// 1 for the first attempt of an execution, 2 for the next.
    static let attemptVariable = "RX_ATTEMPT"

    /// `NAME=value` with a NUL at the end, as bytes: a value need not be UTF-8.
    private let inheritedEntries: [[UInt8]]

    /// The daemon's environment as it is at the first use; it does not change later.
    package static let inherited = ProcessEnvironment(entries: currentEntries())

    init(entries: [[UInt8]]) {
        inheritedEntries = entries.filter { entry in
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return false }
            let name = String(decoding: entry[..<equals], as: UTF8.self)
            return Self.isName(name) && !Self.isReserved(name)
        }.map { $0 + [0] }
    }

    /// Whether a variable is not the configuration's to set: set for every process, or kept from all of them.
    package static func isReserved(_ name: String) -> Bool {
        [actionVariable, executionVariable, attemptVariable, "NOTIFY_SOCKET"].contains(name)
            || name.hasPrefix("LISTEN_") || name.hasPrefix("WATCHDOG_")
    }

    /// Whether swift-subprocess takes a name.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            && !name.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0 }
    }

    /// All entries for one execution, each with its NUL.
    func entries(
        adding own: [String: String], action: String, execution: String, attempt: Int = 1
    ) -> [[UInt8]] {
        var names = Set(own.keys.map { Array("\($0)=".utf8) })
        // A name that was inherited stays only where nothing replaces it.
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
        return entries
    }

    /// Where to look for a program: the action's PATH, else the inherited one.
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
