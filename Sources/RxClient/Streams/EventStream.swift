public import RxJSON

/// The events of one subscription or streamed execution, for one consumer: `for try await element in stream`.
///
/// The last event is `end`; a lost connection throws instead, unless the client reconnects: then the stream continues
/// where it stopped, or after a `gap`. `seq` starts anew on each connection; `cursor` goes on. Releasing the
/// stream unsubscribes. That withdraws from an execution that the stream was opened with, unless the stream has moved
/// to another connection since.
public final class EventStream: AsyncSequence, Sendable {
    /// An event, or a gap.
    public typealias Element = StreamElement
    /// Always a `ClientError`: `.closed` when the connection is lost for good; `.refused` when the stream could not
    /// continue.
    public typealias Failure = any Error

    /// The daemon's reply to the opening: the snapshot and its cursor, or the execution's id and disposition.
    public let reply: RawJSON

    private let client: Client
    private let stream: FollowedStream
    private let inbox: Inbox
    /// Whether releasing the stream leaves its execution alone.
    private let leavesExecution: Bool

    init(_ stream: FollowedStream, _ inbox: Inbox, reply: RawJSON, leavesExecution: Bool, client: Client) {
        self.stream = stream
        self.inbox = inbox
        self.reply = reply
        self.leavesExecution = leavesExecution
        self.client = client
    }

    deinit {
        client.perform { [stream, leavesExecution] link in
            link.letGo(stream, staying: leavesExecution)
        }
    }

    /// The client's name for the stream, the same on all of its connections.
    public var subscription: String { stream.name }

    /// The last continuation over another connection, with or without a gap; nil while the first connection lasts.
    public var reconnection: Reconnection? {
        get async {
            await withCheckedContinuation { continuation in
                client.perform { [inbox] _ in continuation.resume(returning: inbox.reconnection) }
            }
        }
    }

    /// Ends the stream: the events that are under way still come, and `end` after them. Without a connection the stream
    /// finishes at once. Throws `.refused` with `notFound` if the stream has ended.
    public func unsubscribe() async throws {
        let result: Connection.Reply = await withCheckedContinuation { continuation in
            client.perform { [stream] link in
                link.unsubscribe(stream) { continuation.resume(returning: $0) }
            }
        }
        _ = try result.get()
    }

    /// Makes the stream's iterator. A stream has one consumer: with several iterators each gets a part of the elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Takes the whole backlog at once, so that a busy stream does not cost a hop to the loop for each event.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: EventStream
        private var batch: ArraySlice<StreamElement> = []

        fileprivate init(stream: EventStream) {
            self.stream = stream
        }

        /// The next element; nil after `end`, and when the task is canceled.
        public mutating func next() async throws -> StreamElement? {
            try await next(isolation: nil)
        }

        /// The next element, without leaving the caller's actor; nil after `end`, and when the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> StreamElement? {
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

    private func nextBatch() async -> Inbox.Batch {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let cancelled = Task.isCancelled
                client.perform { [inbox] _ in
                    guard !cancelled else { return continuation.resume(returning: .finished) }
                    inbox.take { continuation.resume(returning: $0) }
                }
                // A cancellation since then may have been handled before the inbox had a waiter.
                if !cancelled, Task.isCancelled { client.perform { [inbox] _ in inbox.dismiss() } }
            }
        } onCancel: {
            client.perform { [inbox] _ in inbox.dismiss() }
        }
    }
}
