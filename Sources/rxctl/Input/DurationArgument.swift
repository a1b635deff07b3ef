internal import ArgumentParser
internal import RxJSON

/// A duration in the protocol's format: "500ms", "10s", "1h30m".
struct DurationArgument {
    static let tenMinutes = DurationArgument(.seconds(600))

    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    /// - Throws: `ValidationError` with what to write instead.
    static func parse(_ text: String) throws -> DurationArgument {
        if let duration = Duration(rxText: text) { return DurationArgument(duration) }
        if Duration(rxText: text + "s") != nil {
            throw ValidationError("it has no unit; did you mean \(text)s?")
        }
        throw ValidationError("write a number with a unit, such as 500ms, 10s, or 1h30m")
    }

    var text: String { duration.rxText }
}
