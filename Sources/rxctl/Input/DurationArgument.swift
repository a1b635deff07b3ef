internal import ArgumentParser
internal import RxJSON

/// A duration in the protocol's format: "500ms", "10s", "1h30m".
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = Duration(rxText: argument) else { return nil }
        self.duration = duration
    }

    var text: String { duration.rxText }
}
