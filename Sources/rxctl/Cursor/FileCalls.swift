internal import Glibc

/// The system calls on whose order `CursorFile` depends; tests replace them with calls that fail half-way.
struct FileCalls: Sendable {
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    var writeAt: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    var truncate: @Sendable (_ descriptor: Int32, _ size: Int) -> Int32

    static let system = FileCalls(
        write: { Glibc.write($0, $1.baseAddress, $1.count) },
        writeAt: { pwrite($0, $1.baseAddress, $1.count, $2) },
        truncate: { ftruncate($0, $1) })
}
