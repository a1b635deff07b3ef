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
        let count = digits(of: number)
        var left = number
        var place = count
        while left >= 100 {
            let (quotient, pair) = left.quotientAndRemainder(dividingBy: 100)
            place &-= 2
            start.storeBytes(of: text(ofPair: pair), toByteOffset: place, as: UInt16.self)
            left = quotient
        }
        if left >= 10 {
            start.storeBytes(of: text(ofPair: left), as: UInt16.self)
        } else {
            start.storeBytes(of: UInt8(truncatingIfNeeded: left) | 0x30, as: UInt8.self)
        }
        return start + count
    }

    @inline(__always)
    private static func digits(of number: UInt64) -> Int {
        if number < 100 { return number < 10 ? 1 : 2 }
        var count = 3
        var power: UInt64 = 1000
        while count < mostDigits, number >= power {
            count &+= 1
            // Wraps after the largest power there is, where `count` ends it.
            power &*= 10
        }
        return count
    }

    /// The two digits of a number below 100, in the order of memory.
    @inline(__always)
    private static func text(ofPair number: UInt64) -> UInt16 {
        // A tenth: exact for every number below 179.
        let tens = (number &* 103) &>> 10
        let ones = number &- tens &* 10
        return UInt16(truncatingIfNeeded: tens | ones &<< 8 | 0x3030).littleEndian
    }
}
