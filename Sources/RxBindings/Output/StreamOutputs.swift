internal import Rx
internal import RxStreams

/// The outputs of all streams of a daemon, by the names of their streams.
final class StreamOutputs: Sendable {
    private let outputs = Locked<[String: StreamOutput]>([:])

    func set(_ outputs: [String: StreamOutput]) { self.outputs.withLock { $0 = outputs } }

    /// Passes what a channel of a stream carries; nothing if there is no such stream. See `StreamOutput.connect`.
    func connect(_ stream: String, _ channel: StreamChannel, _ body: @escaping StreamReader) -> any Disposable {
        outputs.withLock { $0[stream] }?.connect(channel, body) ?? Disposables.create()
    }

    /// Passes the elements of a stream to a handoff; nothing if there is no such stream.
    func connect(_ stream: String, _ handoff: StreamHandoff) { outputs.withLock { $0[stream] }?.connect(handoff) }
}
