internal import Glibc

/// The text that identifies the machine, from `/etc/machine-id`.
package enum MachineID {
    /// The text; empty if the machine has none, or it cannot be read.
    package static func read() -> String {
        guard let file = fopen("/etc/machine-id", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 64)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return "" }
        return String(decoding: bytes.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
