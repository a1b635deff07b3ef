public import RxJSON

/// The events of one subscription or streamed execution, for one consumer: `for try await element in stream`.
///
/// The last event is `end`; a lost connection throws instead, unless the client reconnects: then the stream goes on where
/// it ended, or after a `gap`. Each connection counts `sequence` anew; `cursor` goes on. Leaving the loop and letting go of
/// the stream unsubscribes, and so withdraws from an execution it was opened with, unless that has come over to another
/// connection by then.
public final class EventStream: AsyncSequence, Sendable {
    public typealias Element = StreamElement
    public typealias Failure = ClientError

    /// What opening it was answered with: the snapshot and its cursor, or the execution's id and disposition.
    public let reply: RawJSON

    private let client: Client
    private let stream: FollowedStream
    /// Whether an execution goes on when nobody reads.
    private let leavesExecution: Bool

    init(_ stream: FollowedStream, reply: RawJSON, leavesExecution: Bool, client: Client) {
        self.stream = stream
        self.reply = reply
        self.leavesExecution = leavesExecution
        self.client = client
    }

    deinit {
        client.perform { [stream, leavesExecution] link in
            link.letGo(stream, staying: leavesExecution)
        }
    }

    /// The name of the stream on its connections.
    public var name: String { stream.name }

    /// The last time the stream went on over another connection, resumed or not; nil if it is on its first one.
    public var reconnection: Reconnection? {
        get async {
            await withCheckedContinuation { continuation in
                client.perform { [stream] _ in continuation.resume(returning: stream.mailbox.reconnection) }
            }
        }
    }

    /// Asks the daemon to end the stream; what is under way still comes, and `end` after it. Without a connection the
    /// stream is over at once.
    public func unsubscribe() async throws(ClientError) {
        let result: Connection.Reply = await withCheckedContinuation { continuation in
            client.perform { [stream] link in
                link.unsubscribe(stream) { continuation.resume(returning: $0) }
            }
        }
        _ = try result.get()
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Takes what waits in one go, so that a busy stream costs no hop to the loop for each event.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: EventStream
        private var batch: ArraySlice<StreamElement> = []

        fileprivate init(stream: EventStream) {
            self.stream = stream
        }

        public mutating func next() async throws(ClientError) -> StreamElement? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> StreamElement? {
            if let element = batch.popFirst() { return element }
            switch await stream.nextBatch() {
            case .elements(let elements):
                batch = elements[...]
                return batch.popFirst()
            case .finished:
                return nil
            case .failed(let error):
                throw error
            }
        }
    }

    private func nextBatch() async -> Mailbox.Batch {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let cancelled = Task.isCancelled
                client.perform { [stream] _ in
                    guard !cancelled else { return continuation.resume(returning: .finished) }
                    stream.mailbox.take { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            client.perform { [stream] _ in stream.mailbox.dismiss() }
        }
    }
}
