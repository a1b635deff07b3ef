/// One fault of a configuration.
package struct ConfigurationFault: Sendable, Hashable {
    package let file: String
    /// From 1; nil if the fault concerns the whole file, which cannot be read.
    package let line: Int?
    /// The key in TOML's dotted notation; nil if the text is not TOML.
    package let key: String?
    package let message: String
}

extension ConfigurationFault: CustomStringConvertible {
    /// `FILE:LINE: KEY: message`, the form that compilers use and editors can follow.
    package var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
    }
}

/// All faults of a configuration, in the order of files and lines. The description has one line for each.
package struct ConfigurationErrors: Error, Sendable, CustomStringConvertible {
    package let faults: [ConfigurationFault]

    package var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Something in a configuration that still works, or is ignored, but should be changed.
package struct ConfigurationWarning: Sendable, Hashable, CustomStringConvertible {
    package let file: String
    /// From 1.
    package let line: Int
    /// The key in TOML's dotted notation.
    package let key: String
    package let message: String

    /// `FILE:LINE: warning: KEY: message`.
    package var description: String { "\(file):\(line): warning: \(key): \(message)" }

    /// `FILE:LINE: KEY: message`, for a log, whose records have a level.
    package var record: String { "\(file):\(line): \(key): \(message)" }
}

/// Collects faults and warnings while a configuration is read; used by one `load` only.
final class FaultList {
    /// The keys that each table may have, by the table's key.
    private(set) var knownKeys: [String: Set<String>] = [:]
    private var faults: [ConfigurationFault] = []
    private var warnings: [ConfigurationWarning] = []

    var isEmpty: Bool { faults.isEmpty }

    func warn(_ message: String, at place: SourcePlace, key: [String]) {
        warnings.append(
            ConfigurationWarning(file: place.file, line: place.line, key: dottedKey(key), message: message))
    }

    func add(_ message: String, at place: SourcePlace, key: [String]) {
        faults.append(
            ConfigurationFault(file: place.file, line: place.line, key: dottedKey(key), message: message))
    }

    func add(_ message: String, file: String, line: Int? = nil) {
        faults.append(ConfigurationFault(file: file, line: line, key: nil, message: message))
    }

    func note(known keys: [String], of table: [String]) {
        knownKeys[dottedKey(table), default: []].formUnion(keys)
    }

    /// By file in the order of `files`, then by line, then by key.
    func sortedWarnings(files: [String]) -> [ConfigurationWarning] {
        let order = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
        func place(_ warning: ConfigurationWarning) -> (Int, Int, String, String) {
            (order[warning.file] ?? files.count, warning.line, warning.key, warning.message)
        }
        return warnings.sorted { place($0) < place($1) }
    }

    /// By file in the order of `files`, then by line, then by key. Faults without a file (a directory that cannot be
    /// read) come last.
    func sorted(files: [String]) -> [ConfigurationFault] {
        let order = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
        func place(_ fault: ConfigurationFault) -> (Int, Int, String, String) {
            (order[fault.file] ?? files.count, fault.line ?? 0, fault.key ?? "", fault.message)
        }
        return faults.sorted { place($0) < place($1) }
    }
}

/// A path of keys as TOML writes it: quoted where a bare key may not stand, array elements as `[n]`.
func dottedKey(_ path: [String]) -> String {
    var text = ""
    for part in path {
        if part.first == "[" {
            text += part
            continue
        }
        let isBare = !part.isEmpty && part.utf8.allSatisfy(isBareKeyByte)
        text += text.isEmpty ? "" : "."
        text += isBare ? part : "\"\(part)\""
    }
    return text
}

/// Whether a byte may stand in a TOML key without quotes.
func isBareKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default:
        false
    }
}
