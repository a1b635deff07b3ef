internal import RxHost
internal import RxStreams

/// A stream that has been read, with what messages about it need.
struct ReadStream {
    var stream: ConfiguredStream
    /// The key of its table.
    let path: [String]
    /// Where its table begins.
    let place: SourcePlace

    var name: String { stream.name }
    var definition: StreamDefinition { stream.definition }

    /// The place of a part, by its key below the table; that of the table, if the part was not noted.
    func place(of part: [String]) -> SourcePlace {
        stream.lines[dottedKey(part)].map { SourcePlace(file: $0.file, line: $0.line) } ?? place
    }
}

/// A binding that has been read, with its place.
struct ReadBinding {
    let definition: BindingDefinition
    let path: [String]
    let place: SourcePlace
}
