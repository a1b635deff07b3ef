internal import RxJSON

/// A result in three parts, of which the middle one is long and may be shared.
struct SplitText: Sendable {
    /// What `init` takes for the text: no JSON contains this byte.
    static let placeholder = RawJSON(unchecked: [0])

    /// The beginning of the result.
    let head: [UInt8]
    let text: [UInt8]
    /// The end of the result.
    let tail: [UInt8]

    /// Writes what surrounds `text`.
    ///
    /// - Parameters:
    ///   - text: the long part, as JSON.
    ///   - body: writes the whole result, with `placeholder` for the text.
    init(_ text: [UInt8], _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        body(&writer)
        let place = writer.bytes.firstIndex(of: 0) ?? writer.bytes.endIndex
        head = Array(writer.bytes[..<place])
        self.text = text
        tail = Array(writer.bytes[place...].dropFirst())
    }
}
