extension KeptErrors {
    /// The same output, of which nothing is replaced yet, with other bytes in some places.
    ///
    /// - Parameters:
    ///   - replacement: the bytes for each place.
    ///   - isOver: whether nothing follows.
    ///   - find: returns the places in bytes that were written one after the other, in their order; gets whether bytes
    ///     before and after them are missing.
    package func replacing(
        with replacement: [UInt8], isOver: Bool,
        _ find: (_ bytes: [UInt8], _ isCutBefore: Bool, _ isCutAfter: Bool) -> [Range<Int>]
    ) -> KeptErrors {
        let pieces = kept
        let gap = pieces.indices.dropFirst().first { pieces[$0 - 1].end < pieces[$0].offset } ?? pieces.endIndex
        var places: [Range<Int>] = []
        for run in [pieces[..<gap], pieces[gap...]] {
            guard let first = run.first, let last = run.last else { continue }
            let found = find(run.flatMap { $0.bytes }, first.offset > 0, last.end < bytes || !isOver)
            places += found.map { ($0.lowerBound + first.offset)..<($0.upperBound + first.offset) }
        }
        guard !places.isEmpty else { return self }
        let start = (tail?.data).flatMap { data in
            var reader = PackedReader(data)
            return reader.next().map { Int(clamping: $0) }
        }
        var (newHead, newTail) = (KeptHalf(), KeptHalf())
        var rest = places[...]
        for piece in pieces {
            // Places that end before the piece are of no use any more.
            while let place = rest.first, place.upperBound <= piece.offset { rest.removeFirst() }
            if let start, piece.offset >= start {
                if newTail.data.isEmpty { PackedWriter.append(UInt64(piece.offset), to: &newTail.data) }
                piece.append(with: replacement, in: rest, to: &newTail.data)
            } else {
                piece.append(with: replacement, in: rest, to: &newHead.data)
            }
        }
        return KeptErrors(bytes: bytes, head: newHead, tail: tail.map { newTail.data.isEmpty ? $0 : newTail })
    }
}

extension KeptErrors.Piece {
    /// Appends the piece with `replacement` in the places that begin in it, and nothing for those that began before.
    fileprivate func append(with replacement: [UInt8], in places: ArraySlice<Range<Int>>, to data: inout [UInt8]) {
        var last = offset
        func appendPlain(upTo end: Int) {
            guard last < end else { return }
            KeptErrors.append(bytes[(last - offset)..<(end - offset)], after: elements, to: &data)
        }
        for place in places.prefix(while: { $0.lowerBound < end }) {
            let first = max(place.lowerBound, offset)
            let upTo = min(place.upperBound, end)
            appendPlain(upTo: first)
            KeptErrors.append(
                place.lowerBound >= offset ? replacement : [], after: elements, replacing: upTo - first, to: &data)
            last = upTo
        }
        appendPlain(upTo: end)
    }
}
