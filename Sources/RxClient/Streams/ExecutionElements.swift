public import RxJSON

/// The elements of an execution; each iterator starts one execution with its first `next`.
///
/// Ends when the execution completes; otherwise throws `.refused` with the error of the work, or with one for the
/// reason of the end. The elements are complete: if some were lost because the consumer was too slow (`limitReached`,
/// with `dropped`) or because the stream could not continue after a lost connection (`cursorExpired`), that is thrown
/// as well. Leaving the loop withdraws from the execution, which is canceled when the last requester withdraws, unless
/// the request has `.detach`.
public struct ExecutionElements: AsyncSequence, Sendable {
    /// One element, as the daemon sent it.
    public typealias Element = RawJSON
    /// Why the elements are not complete: always a `ClientError`.
    public typealias Failure = any Error

    let client: Client
    let request: ExecuteRequest

    /// Makes an iterator; the execution starts with its first `next`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(state: .unasked(client, request))
    }

    /// Starts an execution with the first `next`, and withdraws from it when it is released before the end.
    public struct Iterator: AsyncIteratorProtocol {
        enum State {
            case unasked(Client, ExecuteRequest)
            case open(EventStream.Iterator, ExecutionProgress)
            case ended
        }

        private var state: State

        init(state: State) {
            self.state = state
        }

        /// The next element; nil after the last one.
        public mutating func next() async throws -> RawJSON? {
            try await next(isolation: nil)
        }

        /// The next element, without leaving the caller's actor; nil after the last one.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> RawJSON? {
            var events: EventStream.Iterator
            var progress: ExecutionProgress
            switch state {
            case .ended: return nil
            case .open(let iterator, let known): (events, progress) = (iterator, known)
            case .unasked(let client, let request):
                state = .ended
                let stream = try await client.open(
                    .execution(request), leavesExecution: request.onDisconnect == .detach)
                (events, progress) = (stream.makeAsyncIterator(), ExecutionProgress())
            }
            // An error below ends the iteration and releases the stream.
            state = .ended
            while let element = try await events.next(isolation: actor) {
                switch progress.take(element) {
                case .nothing: break
                case .element(let value):
                    state = .open(events, progress)
                    return value
                case .failed(let error): throw error
                case .completed: return nil
                }
            }
            return nil
        }
    }
}

extension Client {
    /// The elements of an execution: `for try await element in client.elements(of: "deploy", ["env": "prod"])`.
    ///
    /// - Parameters:
    ///   - action: the action's name.
    ///   - input: its input.
    ///   - onDisconnect: with `.cancel`, leaving the loop withdraws, as the end of the connection does.
    ///   - timeout: longest the work may take, as on the wire ("500ms", "10s"); the action's own limit applies too.
    ///   - key: makes a repetition harmless, see `ExecuteRequest.key`.
    public func elements(
        of action: String, _ input: JSONValue, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> ExecutionElements {
        elements(
            ExecuteRequest(
                action: action, input: RawJSON(input), onDisconnect: onDisconnect, timeout: timeout, key: key))
    }

    /// The elements of an execution, with JSON text as its input, or no input; otherwise like the other
    /// `elements(of:)`.
    public func elements(
        of action: String, _ input: RawJSON? = nil, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> ExecutionElements {
        elements(
            ExecuteRequest(action: action, input: input, onDisconnect: onDisconnect, timeout: timeout, key: key))
    }

    /// The elements of the execution that `request` starts.
    public func elements(_ request: ExecuteRequest) -> ExecutionElements {
        ExecutionElements(client: self, request: request)
    }
}
