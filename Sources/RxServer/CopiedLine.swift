internal import RxJSON

/// A line that is carried out later than the socket delivers it.
final class CopiedLine: Sendable {
    /// The line and the padding that its reader may read.
    private let bytes: [UInt8]
    private let count: Int

    init(copying line: UnsafeRawBufferPointer) {
        count = line.count
        bytes = [UInt8](line) + [UInt8](repeating: 0, count: JSONReader.padding)
    }

    /// Calls `body` with the line, as the socket delivers it.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
