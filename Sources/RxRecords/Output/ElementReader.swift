internal import RxJSON

/// Reads packed elements one by one, from any of them on; what follows damage is left out.
package struct ElementReader: Sendable {
    /// The place between two elements.
    package struct Place: Sendable {
        /// The bytes before it.
        fileprivate var offset: Int
        /// The number of the next element in its execution.
        package var ordinal: Int
        /// What the next element refers to: the number and the time of the one before.
        package var last: KeptElements.Codec.Place

        package static let startOfHead = Place(offset: 0, ordinal: 1, last: (0, 0))

        package init(offset: Int = 0, ordinal: Int, last: KeptElements.Codec.Place) {
            self.offset = offset
            self.ordinal = ordinal
            self.last = last
        }
    }

    private var rest: PackedReader
    private var ordinal: Int
    private var last: KeptElements.Codec.Place

    /// - Parameters:
    ///   - data: packed elements as `KeptElements.Codec` states, with the beginning of a tail if they are one.
    ///   - place: where the next element begins.
    package init(_ data: [UInt8], at place: Place) {
        rest = PackedReader(data.dropFirst(place.offset))
        (ordinal, last) = (place.ordinal, place.last)
    }

    /// A reader of a tail from its first element on.
    package init(tail data: [UInt8]) {
        rest = PackedReader(data)
        (ordinal, last) = (1, (0, 0))
        guard let first = rest.next(), let number = rest.next(), let time = rest.next() else {
            rest = PackedReader([])
            return
        }
        (ordinal, last) = (Int(clamping: first), (number, Int64(clamping: time)))
    }

    package var place: Place { Place(offset: rest.rest.startIndex, ordinal: ordinal, last: last) }

    /// The number and the time of the next element; nil at the end.
    package var next: KeptElements.Codec.Place? {
        var (rest, place) = (rest, last)
        return KeptElements.Codec.skip(&rest, &place) == nil ? nil : place
    }

    /// Moves behind the elements up to the event `number`.
    package mutating func skip(through number: UInt64) {
        while ordinal < .max {
            var (rest, place) = (rest, last)
            guard KeptElements.Codec.skip(&rest, &place) != nil, place.number <= number else { return }
            (self.rest, last, ordinal) = (rest, place, ordinal + 1)
        }
    }

    /// Reads the next element if its event comes up to `number`; nil at the end, too.
    package mutating func read(through number: UInt64) -> KeptElements.Element? {
        var (rest, place) = (rest, last)
        guard ordinal < .max, let step = rest.next(), let elapsed = rest.next(), let bytes = rest.bytes() else {
            return nil
        }
        place.number &+= step
        place.time &+= Int64(clamping: elapsed)
        guard place.number <= number else { return nil }
        let text = RawJSON(unchecked: Array(bytes))
        // Damage must not become a part of an answer.
        guard text.isValid else {
            self.rest = PackedReader([])
            return nil
        }
        defer { (self.rest, last, ordinal) = (rest, place, ordinal + 1) }
        return KeptElements.Element(ordinal: ordinal, number: place.number, time: place.time, text: text)
    }
}
