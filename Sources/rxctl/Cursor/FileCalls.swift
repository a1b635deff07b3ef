internal import Glibc

/// The system calls on whose order `CursorFile` depends; tests replace them with calls that fail half-way, and with a
/// disk that loses what was not synced.
struct FileCalls: Sendable {
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    var writeAt: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    var truncate: @Sendable (_ descriptor: Int32, _ size: Int) -> Int32
    /// Returns when the file's content and size, or the directory's names, are on the disk.
    var sync: @Sendable (_ descriptor: Int32) -> Int32
    /// Identifies the boot of the machine, in at most `CursorRecord.bootDigits` characters; nil if it is unknown.
    var bootID: @Sendable () -> String?

    static let system = FileCalls(
        write: { Glibc.write($0, $1.baseAddress, $1.count) },
        writeAt: { pwrite($0, $1.baseAddress, $1.count, $2) },
        truncate: { ftruncate($0, $1) },
        sync: { fdatasync($0) },
        bootID: { readBootID() })

    private static func readBootID() -> String? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        guard read(descriptor, &text, text.count) == text.count else { return nil }
        let digits = String(decoding: text, as: UTF8.self).filter(\.isHexDigit)
        return digits.count == 32 ? String(digits.prefix(CursorRecord.bootDigits)) : nil
    }
}
