/// The first and the last bytes that the work of an execution wrote to its standard error, and the number of those
/// between.
public struct KeptErrors: Sendable, Hashable {
    /// The number of bytes that were written.
    public let bytes: Int
    package let head: KeptHalf
    package let tail: KeptHalf?

    package init(bytes: Int = 0, head: KeptHalf = KeptHalf(), tail: KeptHalf? = nil) {
        self.bytes = bytes
        self.head = head
        self.tail = tail
    }

    /// Bytes that were written together, or what replaces them.
    public struct Piece: Sendable, Hashable {
        /// The number of bytes that were written before it.
        public let offset: Int
        /// The number of elements that the execution had by then.
        public let elements: Int
        /// What was written, or what replaces it.
        public let bytes: [UInt8]
        /// The number of bytes that `bytes` replace; nil if they are what was written.
        public let replaced: Int?

        package init(offset: Int, elements: Int, bytes: [UInt8], replaced: Int? = nil) {
            self.offset = offset
            self.elements = elements
            self.bytes = bytes
            self.replaced = replaced
        }

        /// The number of bytes that were written up to its end.
        public var end: Int { offset + (replaced ?? bytes.count) }
    }

    /// The pieces that are kept, in their order; what follows damage is left out.
    public var kept: [Piece] {
        let first = keptInHead
        let end = first.last?.end ?? 0
        return first + keptInTail.drop { $0.offset < end }
    }

    private var keptInHead: [Piece] {
        var reader = PackedReader(head.data)
        return read(&reader, at: 0)
    }

    private var keptInTail: [Piece] {
        var reader = PackedReader(tail?.data ?? [])
        return reader.next().map { read(&reader, at: $0) } ?? []
    }

    private func read(_ reader: inout PackedReader, at offset: UInt64) -> [Piece] {
        var pieces: [Piece] = []
        var offset = Int(clamping: offset)
        while let elements = reader.next(), let replaced = reader.next(), let text = reader.bytes() {
            let replaced = replaced == 0 ? nil : Int(clamping: replaced)
            guard offset <= bytes, (replaced ?? text.count) <= bytes - offset else { break }
            let piece = Piece(
                offset: offset, elements: Int(clamping: elements), bytes: Array(text), replaced: replaced)
            pieces.append(piece)
            offset = piece.end
        }
        return pieces
    }

    /// Appends a piece: the number of elements before it, the number of bytes that it replaces (0 for what was
    /// written), its length, and its bytes, with the numbers of `PackedWriter`. A tail begins with the offset of its
    /// first piece. Later versions read this; it never changes.
    package static func append(
        _ piece: some Collection<UInt8>, after elements: Int, replacing replaced: Int = 0, to bytes: inout [UInt8]
    ) {
        PackedWriter.append(UInt64(elements), to: &bytes)
        PackedWriter.append(UInt64(replaced), to: &bytes)
        PackedWriter.append(UInt64(piece.count), to: &bytes)
        bytes.append(contentsOf: piece)
    }
}
