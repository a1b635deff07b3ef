internal import Rx
internal import RxJSON

extension StreamOperator {
    static let distinctUntilChanged = StreamOperator(
        "distinctUntilChanged", .perElement, .flag, .program(.one),
        summary: "Drops an element that equals the one before it, or whose key, the result of a program, does.",
        keepsLevel: true, isBrake: true
    ) { step, source in
        let program = step.definition.program("distinctUntilChanged")
        let last = step.cell("last", RawJSON?.none)
        // That of the last key, if it is known: each key is summed once.
        let lastSum = LastSum()
        return step.transform(source) { element, output in
            guard let key = program.map({ step.value($0, of: element.value, in: element) }) ?? element.value else {
                return
            }
            let sum = ByteSum(key)
            if let previous = last.value {
                let isEqual = previous == key || sum == lastSum.value ?? ByteSum(previous) && isSame(previous, key)
                if isEqual { return }
            }
            last.value = key
            lastSum.value = sum
            output.emit(element)
        }
    }
}

/// Equality as JSON has it: neither white space nor the order of members counts.
private func isSame(_ one: RawJSON, _ other: RawJSON) -> Bool { one.value() == other.value() }

/// A sum over the bytes that equal values share, so that most values that differ need not be parsed.
private struct ByteSum: Equatable {
    private let sum: UInt32
    /// Whether there are escapes, of which equal strings may have different ones.
    private let hasEscapes: Bool

    init(_ json: RawJSON) {
        // Two simple loops, each of which takes many bytes at a time.
        (sum, hasEscapes) = json.utf8.withUnsafeBufferPointer { bytes in
            var sum: UInt32 = 0
            for byte in bytes { sum &+= UInt32(byte > 0x20 ? byte : 0) }
            var escapes: UInt8 = 0
            for byte in bytes { escapes |= byte == UInt8(ascii: "\\") ? 1 : 0 }
            return (sum, escapes != 0)
        }
    }

    static func == (one: ByteSum, other: ByteSum) -> Bool {
        one.hasEscapes || other.hasEscapes || one.sum == other.sum
    }
}

// Unchecked: belongs to the stream's turn.
private final class LastSum: @unchecked Sendable {
    @exclusivity(unchecked) var value: ByteSum?
}
