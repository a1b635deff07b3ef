public import RxJSON

/// The first and the last elements of an execution, as they were yielded, and the number of those between.
///
/// Elements are kept whole. The halves are packed as `Codec` states. There is a tail if the head does not have all
/// elements.
public struct KeptElements: Sendable, Hashable {
    /// The number of elements that were yielded.
    public let count: Int
    /// The bytes of all of them, with a newline after each, as they are kept: a replaced secret counts as what replaces
    /// it.
    public let bytes: Int
    /// The number of elements between the head and the tail, which are not kept.
    public let missing: Int
    package let head: KeptHalf
    package let tail: KeptHalf?

    package init(
        count: Int = 0, bytes: Int = 0, missing: Int = 0, head: KeptHalf = KeptHalf(), tail: KeptHalf? = nil
    ) {
        self.count = count
        self.bytes = bytes
        self.missing = missing
        self.head = head
        self.tail = tail
    }

    /// One element.
    public struct Element: Sendable, Hashable {
        /// The number of the element in its execution, from 1.
        public let ordinal: Int
        /// The number of its event.
        public let number: UInt64
        /// Milliseconds since 1970.
        public let time: Int64
        /// The element, without a newline.
        public let text: RawJSON
    }

    /// The elements that are kept, in their order; what follows damage is left out.
    public var kept: [Element] {
        let first = keptInHead
        return first + keptInTail.drop { $0.ordinal <= first.count }
    }

    package var keptInHead: [Element] {
        var reader = PackedReader(head.data)
        return Codec.read(&reader, from: 1, through: count, after: (0, 0))
    }

    package var keptInTail: [Element] {
        guard let tail else { return [] }
        var reader = PackedReader(tail.data)
        guard let first = reader.next(), let number = reader.next(), let time = reader.next() else { return [] }
        return Codec.read(
            &reader, from: Int(clamping: first), through: count, after: (number, Int64(clamping: time)))
    }

    /// The same elements with other texts; fewer of them if these are longer than what may be kept.
    ///
    /// - Parameter limit: the most bytes that they may take, packed.
    package func mapping(limit: Int, _ body: (RawJSON) -> RawJSON) -> KeptElements {
        var growth = 0
        let mapped = { (element: Element) in
            let text = body(element.text)
            growth += text.utf8.count - element.text.utf8.count
            return Element(ordinal: element.ordinal, number: element.number, time: element.time, text: text)
        }
        let (first, last) = (keptInHead.map(mapped), keptInTail.map(mapped))
        var data: [UInt8] = []
        let inHead = Codec.append(first, after: (0, 0), to: &data, atMost: limit / 2)
        let cut = first.dropFirst(inHead)
        let newHead = KeptHalf(data, numbers: inHead > 0 ? first[0].number...first[inHead - 1].number : nil)
        var newTail = tail
        var inTail = 0
        if tail?.numbers != nil || !cut.isEmpty {
            let rest = missing == 0 ? cut + last : last[...]
            let room = limit - data.count - Codec.mostBesideText
            let kept = rest.suffix(Codec.count(endOf: rest, atMost: room))
            var data: [UInt8] = []
            if let first = kept.first {
                Codec.begin(tailAt: first.ordinal, after: (first.number, first.time), to: &data)
                _ = Codec.append(kept, after: (first.number, first.time), to: &data, atMost: .max)
            }
            let begin = cut.first?.number ?? tail?.numbers?.lowerBound ?? 0
            let end = tail?.numbers?.upperBound ?? first.last?.number ?? begin
            newTail = KeptHalf(data, numbers: begin...max(begin, end))
            inTail = kept.count
        }
        return KeptElements(
            count: count, bytes: max(bytes + growth, 0),
            missing: missing + first.count + last.count - inHead - inTail, head: newHead, tail: newTail)
    }

    /// How elements are packed. All numbers are `PackedWriter`'s.
    ///
    /// An element is the difference of its event's number to the one before it, the milliseconds since that one
    /// (a clock that was set back counts as 0), its length, and its text. A head is elements from the first on, after
    /// number 0 at time 0. A tail is the ordinal of its first element, the number and the time that its first
    /// differences refer to, and elements. Later versions read this; it never changes.
    package enum Codec {
        package typealias Place = (number: UInt64, time: Int64)

        /// The most bytes of an element beside its text, and of the beginning of a tail.
        package static let mostBesideText = 3 * PackedWriter.mostBytes

        /// Writes an element at `start`, where there is room for its text and `mostBesideText`.
        ///
        /// - Returns: the number of bytes written.
        package static func write(
            _ text: RawJSON, number: UInt64, time: Int64, after last: Place, to start: UnsafeMutableRawPointer
        ) -> Int {
            var end = start
            PackedWriter.write(number &- last.number, to: &end)
            PackedWriter.write(UInt64(clamping: time - last.time), to: &end)
            PackedWriter.write(UInt64(text.utf8.count), to: &end)
            text.utf8.withUnsafeBytes { bytes in
                if let first = bytes.baseAddress { end.copyMemory(from: first, byteCount: bytes.count) }
                end += bytes.count
            }
            return end - start
        }

        /// Skips an element; `place` becomes what the next one refers to.
        ///
        /// - Returns: the bytes of its text; nil at the end, and for bytes that `write` has not written.
        package static func skip(_ reader: inout PackedReader, _ place: inout Place) -> Int? {
            guard let step = reader.next(), let elapsed = reader.next(), let text = reader.bytes() else { return nil }
            place.number &+= step
            place.time &+= Int64(clamping: elapsed)
            return text.count
        }

        package static func append(
            _ text: RawJSON, number: UInt64, time: Int64, after last: Place, to bytes: inout [UInt8]
        ) {
            PackedWriter.append(number &- last.number, to: &bytes)
            PackedWriter.append(UInt64(clamping: time - last.time), to: &bytes)
            PackedWriter.append(UInt64(text.utf8.count), to: &bytes)
            bytes.append(contentsOf: text.utf8)
        }

        /// The bytes of an element whose text has so many.
        package static func size(_ text: Int, number: UInt64, time: Int64, after last: Place) -> Int {
            PackedWriter.size(number &- last.number) + PackedWriter.size(UInt64(clamping: time - last.time))
                + PackedWriter.size(UInt64(text)) + text
        }

        /// Appends elements while `bytes` has at most so many.
        ///
        /// - Returns: the number of elements appended.
        fileprivate static func append(
            _ elements: some Sequence<Element>, after base: Place, to bytes: inout [UInt8], atMost limit: Int
        ) -> Int {
            var (last, count) = (base, 0)
            for element in elements {
                let size = size(element.text.utf8.count, number: element.number, time: element.time, after: last)
                guard size <= limit - bytes.count else { break }
                append(element.text, number: element.number, time: element.time, after: last, to: &bytes)
                last = (element.number, element.time)
                count += 1
            }
            return count
        }

        /// How many of the last elements have at most so many bytes together.
        fileprivate static func count(endOf elements: ArraySlice<Element>, atMost limit: Int) -> Int {
            var (room, count) = (limit, 0)
            for (index, element) in zip(elements.indices, elements).reversed() {
                let before = index > elements.startIndex ? elements[index - 1] : element
                room -= size(
                    element.text.utf8.count, number: element.number, time: element.time,
                    after: (before.number, before.time))
                guard room >= 0 else { break }
                count += 1
            }
            return count
        }

        /// Begins a tail.
        ///
        /// - Parameter base: what the first differences refer to.
        package static func begin(tailAt ordinal: Int, after base: Place, to bytes: inout [UInt8]) {
            PackedWriter.append(UInt64(ordinal), to: &bytes)
            PackedWriter.append(base.number, to: &bytes)
            PackedWriter.append(UInt64(clamping: base.time), to: &bytes)
        }

        fileprivate static func read(
            _ reader: inout PackedReader, from ordinal: Int, through count: Int, after base: Place
        ) -> [Element] {
            var elements: [Element] = []
            var last = base
            while elements.count <= count - ordinal, let step = reader.next(), let elapsed = reader.next(),
                let bytes = reader.bytes()
            {
                let text = RawJSON(unchecked: Array(bytes))
                // Damage must not become a part of an answer.
                guard text.isValid else { break }
                last.number &+= step
                last.time &+= Int64(clamping: elapsed)
                elements.append(
                    Element(
                        ordinal: ordinal + elements.count, number: last.number, time: last.time,
                        text: text))
            }
            return elements
        }
    }
}
