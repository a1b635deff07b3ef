extension KeptErrors {
    /// The same output, packed in at most so many bytes: what secrets lengthen, or many pieces with elements in
    /// between, may take more than was written. The first half of the bytes has the oldest pieces, and the rest the
    /// newest ones. A piece is cut, unless it replaces something.
    package func limited(to limit: Int) -> KeptErrors {
        guard head.data.count + (tail?.data.count ?? 0) > limit else { return self }
        let all = kept
        let gap = all.indices.dropFirst().first { all[$0 - 1].end < all[$0].offset } ?? all.endIndex
        var (newHead, newTail) = (KeptHalf(), KeptHalf())
        var rest = all[...]
        while rest.startIndex < gap, let piece = rest.first,
            let part = piece.first(in: limit / 2 - newHead.data.count)
        {
            part.append(to: &newHead.data)
            rest.removeFirst()
            if part.end < piece.end {
                rest = [piece.dropping(part.bytes.count)] + rest
                break
            }
        }
        // The offset takes some bytes, too.
        var room = limit - newHead.data.count - PackedWriter.mostBytes
        var newest: [Piece] = []
        var begin = bytes
        while let piece = rest.last, piece.end == begin, let part = piece.last(in: room) {
            newest.append(part)
            room -= part.packedSize
            begin = part.offset
            rest.removeLast()
            if part.offset > piece.offset { break }
        }
        PackedWriter.append(UInt64(begin), to: &newTail.data)
        for piece in newest.reversed() { piece.append(to: &newTail.data) }
        return KeptErrors(bytes: bytes, head: newHead, tail: newTail)
    }
}

extension KeptErrors.Piece {
    private var headSize: Int {
        PackedWriter.size(UInt64(elements)) + PackedWriter.size(UInt64(replaced ?? 0))
            + PackedWriter.size(UInt64(bytes.count))
    }

    /// The bytes that it takes, packed.
    fileprivate var packedSize: Int { headSize + bytes.count }

    fileprivate func append(to data: inout [UInt8]) {
        KeptErrors.append(bytes, after: elements, replacing: replaced ?? 0, to: &data)
    }

    /// As much of its start as takes at most so many bytes; nil if that is nothing.
    fileprivate func first(in room: Int) -> Self? {
        if packedSize <= room { return self }
        guard replaced == nil, room > headSize else { return nil }
        return Self(offset: offset, elements: elements, bytes: Array(bytes.prefix(room - headSize)))
    }

    /// As much of its end as takes at most so many bytes; nil if that is nothing.
    fileprivate func last(in room: Int) -> Self? {
        if packedSize <= room { return self }
        guard replaced == nil, room > headSize else { return nil }
        return dropping(bytes.count - (room - headSize))
    }

    /// The rest of a piece that replaces nothing.
    fileprivate func dropping(_ count: Int) -> Self {
        Self(offset: offset + count, elements: elements, bytes: Array(bytes.dropFirst(count)))
    }
}
