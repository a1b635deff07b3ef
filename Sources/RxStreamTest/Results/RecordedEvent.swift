internal import RxJSON

/// Something that happened in a test.
struct RecordedEvent {
    enum Content {
        /// An element, or a state.
        case element(RawJSON)
        /// A firing, of which a test states some members.
        case firing(RawJSON)
        case error(String)
        case end
    }

    let content: Content
    /// Microseconds since the start.
    let moment: Int64

    init(_ content: Content, at moment: Int64) {
        self.content = content
        self.moment = moment
    }

    /// The value; nil for an error or the end.
    var value: RawJSON? {
        switch content {
        case .element(let value), .firing(let value): value
        case .error, .end: nil
        }
    }
}
