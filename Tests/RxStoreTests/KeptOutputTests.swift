import RxJSON
import Testing

@testable import RxRecords

/// How output is packed. Bytes that nothing has written come from a damaged file.
struct KeptOutputTests {
    private static func element(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("every number is read as it was written, in one byte below 128 and in ten at most")
    func numbers() {
        let edges: [UInt64] =
            [0, 1, 127, 128, 16_383, 16_384, .max, .max - 1, UInt64(Int64.max)] + (0..<64).map { 1 << UInt64($0) }
        var bytes: [UInt8] = []
        for number in edges { PackedWriter.append(number, to: &bytes) }
        var reader = PackedReader(bytes)
        for number in edges { #expect(reader.next() == number) }
        #expect(reader.isAtEnd && reader.next() == nil && reader.bytes() == nil)
        for (number, length) in [(0, 1), (127, 1), (128, 2), (UInt64.max, 10)] as [(UInt64, Int)] {
            var bytes: [UInt8] = []
            PackedWriter.append(number, to: &bytes)
            #expect(bytes.count == length && PackedWriter.size(number) == length)
        }
    }

    @Test("a number without an end is none, nor is a length beyond the bytes")
    func noNumbers() {
        for bytes in [[], [0x80], [UInt8](repeating: 0xFF, count: 9), [UInt8](repeating: 0x80, count: 20)] {
            var reader = PackedReader(bytes)
            #expect(reader.next() == nil)
        }
        var reader = PackedReader([2, 7])
        #expect(reader.bytes() == nil)
    }

    /// Elements and standard error with a head, a gap, and a tail.
    private static func made() -> KeptOutput {
        var (head, tail) = (KeptHalf(numbers: 3...4), KeptHalf(numbers: 300...1 << 40))
        KeptElements.Codec.append(element("1"), number: 3, time: 10, after: (0, 0), to: &head.data)
        KeptElements.Codec.append(element(#"{"a":[2]}"#), number: 4, time: 10, after: (3, 10), to: &head.data)
        KeptElements.Codec.begin(tailAt: 8, after: (4, 10), to: &tail.data)
        KeptElements.Codec.append(element(#""x""#), number: 300, time: 99, after: (4, 10), to: &tail.data)
        KeptElements.Codec.append(element("null"), number: 1 << 40, time: 99, after: (300, 99), to: &tail.data)
        var (first, last) = (KeptHalf(), KeptHalf())
        KeptErrors.append(bytes("one"), after: 0, to: &first.data)
        KeptErrors.append(bytes("two"), after: 2, to: &first.data)
        PackedWriter.append(90, to: &last.data)
        KeptErrors.append(bytes("***"), after: 7, replacing: 6, to: &last.data)
        KeptErrors.append(bytes("end"), after: 9, to: &last.data)
        return KeptOutput(
            elements: KeptElements(count: 9, bytes: 100, head: head, tail: tail),
            errors: KeptErrors(bytes: 99, head: first, tail: last))
    }

    private static func text(_ output: KeptOutput) -> [String] {
        output.elements.kept.map { "\($0.ordinal) \($0.number) \($0.time) \($0.text.text)" }
            + output.errors.kept.map {
                "\($0.offset)-\($0.end) \($0.elements) \(String(decoding: $0.bytes, as: UTF8.self))"
            }
    }

    @Test("elements have their ordinals, numbers, and times; pieces their offsets, and what they replace")
    func roundTrip() {
        #expect(
            Self.text(Self.made()) == [
                "1 3 10 1", #"2 4 10 {"a":[2]}"#, #"8 300 99 "x""#, "9 1099511627776 99 null", "0-3 0 one", "3-6 2 two",
                "90-96 7 ***", "96-99 9 end",
            ])
    }

    @Test("other texts keep everything else, and the number of missing bytes")
    func mapping() {
        let elements = Self.made().elements
        let mapped = elements.mapping(limit: 1 << 20) { $0.text == #""x""# ? Self.element(#""longer""#) : $0 }
        #expect(mapped.kept.map(\.ordinal) == [1, 2, 8, 9] && mapped.kept.map(\.number) == elements.kept.map(\.number))
        #expect(mapped.kept.map(\.time) == [10, 10, 99, 99] && mapped.count == 9 && mapped.bytes == 105)
        #expect(mapped.kept.map(\.text.text) == ["1", #"{"a":[2]}"#, #""longer""#, "null"])
        #expect(mapped.tail?.numbers == elements.tail?.numbers)
    }

    @Test("damage anywhere, in the bytes or in the counts, leaves elements in order, valid, and within the counts")
    func damage() {
        let made = Self.made()
        func expectSound(_ output: KeptOutput) {
            var ordinal = 0
            for element in output.elements.kept {
                #expect(element.ordinal > ordinal && element.ordinal <= output.elements.count)
                ordinal = element.ordinal
                #expect(element.text.isValid)
            }
            var offset = 0
            for piece in output.errors.kept {
                #expect(piece.offset >= offset && piece.end <= output.errors.bytes)
                offset = piece.end
            }
        }
        func output(_ halves: [[UInt8]], count: Int = 9, bytes: Int = 99) -> KeptOutput {
            KeptOutput(
                elements: KeptElements(
                    count: count, bytes: bytes, head: KeptHalf(halves[0]), tail: KeptHalf(halves[1])),
                errors: KeptErrors(bytes: bytes, head: KeptHalf(halves[2]), tail: KeptHalf(halves[3])))
        }
        let halves = [
            made.elements.head.data, made.elements.tail?.data ?? [], made.errors.head.data,
            made.errors.tail?.data ?? [],
        ]
        for index in halves.indices {
            for place in halves[index].indices {
                for value in [0, 1, 0x7F, 0x80, 0xFF, halves[index][place] ^ 1] as [UInt8] {
                    var damaged = halves
                    damaged[index][place] = value
                    expectSound(output(damaged))
                }
                var cut = halves
                cut[index].removeSubrange(place...)
                expectSound(output(cut))
            }
        }
        for number in [0, 1, Int.max] {
            expectSound(output(halves, count: number))
            expectSound(output(halves, bytes: number))
        }
        // A tail at the end of all numbers.
        var tail: [UInt8] = []
        PackedWriter.append(.max, to: &tail)
        expectSound(output([halves[0], tail + halves[1].dropFirst(), halves[2], tail + halves[3].dropFirst()]))
        expectSound(
            output(
                [halves[0], tail + halves[1].dropFirst(), halves[2], tail + halves[3].dropFirst()], count: .max,
                bytes: .max))
        // A tail that begins within the head.
        expectSound(output([halves[0], halves[0], halves[2], halves[2]]))
    }
}
