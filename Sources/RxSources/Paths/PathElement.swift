internal import RxJSON
internal import RxStreams
internal import RxTime

/// The value of an element: `{"path","event","from","directory"}`. `from` is null unless the event is `moved`.
struct PathElement {
    var path: [UInt8]
    var event: PathOptions.Event
    var from: [UInt8]?
    var isDirectory: Bool

    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    func element(at time: Instant) -> SourceElement {
        var writer = JSONWriter(reserving: path.count + (from?.count ?? 0) + 64)
        writer.object { writer in
            writer.field("path", String(decoding: path, as: UTF8.self))
            writer.field("event", event.rawValue)
            writer.key("from")
            if let from { writer.string(String(decoding: from, as: UTF8.self)) } else { writer.null() }
            writer.field("directory", isDirectory)
        }
        return SourceElement(value: RawJSON(unchecked: writer.bytes), time: time)
    }
}
