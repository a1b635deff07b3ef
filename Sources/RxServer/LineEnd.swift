internal import RxAction

/// The end of a line that grows in memory for which the caller has seen that it is large enough: what is written most often
/// is put together here, since each append to an array costs more than most of these pieces.
struct LineEnd {
    /// Of a number.
    static let mostDigits = 20

    private let begin: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    init(_ room: UnsafeMutableRawBufferPointer) {
        // An array or span that asks for room has an address.
        begin = room.baseAddress!
        end = begin
    }

    /// Bytes written so far.
    var count: Int { end - begin }

    @inline(__always)
    mutating func put(_ literal: StaticString) {
        end.copyMemory(from: literal.utf8Start, byteCount: literal.utf8CodeUnitCount)
        end += literal.utf8CodeUnitCount
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        end.copyMemory(from: base, byteCount: bytes.count)
        end += bytes.count
    }

    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { put($0) }
    }

    mutating func put(_ execution: ExecutionID) {
        execution.write(into: end.assumingMemoryBound(to: UInt8.self))
        end += ExecutionID.textLength
    }

    mutating func put(_ number: UInt64) {
        end = LineEnd.write(number, to: end)
    }

    /// - Returns: the place after its digits.
    @inline(__always)
    static func write(_ number: UInt64, to start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        var count = 1
        var power: UInt64 = 10
        while count < mostDigits, number >= power {
            count += 1
            // Wraps after the largest power there is, where `count` ends it.
            power &*= 10
        }
        var left = number
        var place = count
        while place > 0 {
            place -= 1
            let (quotient, digit) = left.quotientAndRemainder(dividingBy: 10)
            start.storeBytes(of: UInt8(truncatingIfNeeded: digit) &+ 0x30, toByteOffset: place, as: UInt8.self)
            left = quotient
        }
        return start + count
    }
}
