internal import RxJSON

/// A result of which some parts are long and may be shared.
struct SplitText: Sendable {
    /// What `init` takes for a text: no JSON contains this byte.
    static let placeholder = RawJSON(unchecked: [0])

    /// What is before, between, and after the texts.
    let frame: [[UInt8]]
    let texts: [[UInt8]]

    /// Writes what surrounds `texts`.
    ///
    /// - Parameters:
    ///   - texts: the long parts, as JSON.
    ///   - body: writes the whole result, with as many times `placeholder` for the texts, in their order.
    init(_ texts: [[UInt8]], _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        body(&writer)
        frame = writer.bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        assert(frame.count == texts.count + 1)
        self.texts = texts
    }

    /// - Parameter texts: as many as there are parts of `frame`, but for the last one.
    init(frame: [[UInt8]], texts: [[UInt8]]) {
        self.frame = frame
        self.texts = texts
    }

    /// With other bytes before and after.
    init(head: [UInt8], _ result: SplitText, tail: [UInt8]) {
        var frame = result.frame
        frame[0] = head + frame[0]
        frame[frame.count - 1] += tail
        self.frame = frame
        texts = result.texts
    }

    /// The whole.
    func write(to writer: inout JSONWriter) {
        for (part, text) in zip(frame, texts) {
            writer.bytes.append(contentsOf: part)
            writer.bytes.append(contentsOf: text)
        }
        writer.bytes.append(contentsOf: frame[frame.count - 1])
    }
}
