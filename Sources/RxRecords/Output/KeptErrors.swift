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

    /// Bytes that were written together.
    public struct Piece: Sendable, Hashable {
        /// The number of bytes that were written before it.
        public let offset: Int
        /// The number of elements that the execution had by then.
        public let elements: Int
        /// What was written.
        public let bytes: [UInt8]
    }

    /// The pieces that are kept, in their order; what follows damage is left out.
    public var kept: [Piece] { keptInHead + keptInTail }

    private var keptInHead: [Piece] {
        var reader = PackedReader(head.data)
        return KeptErrors.read(&reader, at: 0)
    }

    private var keptInTail: [Piece] {
        var reader = PackedReader(tail?.data ?? [])
        return reader.next().map { KeptErrors.read(&reader, at: Int(clamping: $0)) } ?? []
    }

    /// The same output with other bytes in a half for which `body` returns some; the half is one piece then.
    ///
    /// - Parameter body: gets the bytes of a half, and whether bytes before and after them are missing.
    package func mapping(
        _ body: (_ bytes: [UInt8], _ isCutBefore: Bool, _ isCutAfter: Bool) -> [UInt8]?
    ) -> KeptErrors {
        var (newHead, newTail) = (head, tail)
        let (first, last) = (keptInHead, keptInTail)
        let isCut = (first + last).reduce(0) { $0 + $1.bytes.count } < bytes
        if let piece = first.first, let bytes = body(first.flatMap(\.bytes), false, isCut || !last.isEmpty) {
            newHead.data = []
            KeptErrors.append(bytes, after: piece.elements, to: &newHead.data)
        }
        if let piece = last.first, let bytes = body(last.flatMap(\.bytes), isCut || !first.isEmpty, false) {
            var data: [UInt8] = []
            PackedWriter.append(UInt64(piece.offset), to: &data)
            KeptErrors.append(bytes, after: piece.elements, to: &data)
            newTail = KeptHalf(data)
        }
        return KeptErrors(bytes: bytes, head: newHead, tail: newTail)
    }

    private static func read(_ reader: inout PackedReader, at offset: Int) -> [Piece] {
        var pieces: [Piece] = []
        var offset = offset
        while let elements = reader.next(), let bytes = reader.bytes() {
            pieces.append(Piece(offset: offset, elements: Int(clamping: elements), bytes: Array(bytes)))
            offset += bytes.count
        }
        return pieces
    }

    /// Appends a piece: the number of elements before it, its length, and its bytes, with the numbers of
    /// `PackedWriter`. A tail begins with the offset of its first piece. Later versions read this; it never changes.
    package static func append(_ piece: some Collection<UInt8>, after elements: Int, to bytes: inout [UInt8]) {
        PackedWriter.append(UInt64(elements), to: &bytes)
        PackedWriter.append(UInt64(piece.count), to: &bytes)
        bytes.append(contentsOf: piece)
    }
}
