internal import RxAction

/// Assembles a line in memory that the caller has made large enough. The most frequent lines are written with it,
/// since an append to an array costs more than most of their pieces.
struct LineEnd {
    /// Digits of the largest number.
    static let mostDigits = 20

    private let begin: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    init(_ room: UnsafeMutableRawBufferPointer) {
        // A buffer that is not empty has an address.
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

    /// - Returns: the address after its digits.
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
