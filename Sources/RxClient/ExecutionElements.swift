public import RxJSON

/// The elements of an execution that is asked for when they are iterated, once by each iterator.
///
/// Ends as the execution completes; otherwise throws `.refused` with the error of the work, or what the daemon says of the
/// end. Elements are all or nothing: if some were lost, to a consumer too slow (`limitReached`, with `dropped`) or to a
/// connection that the stream could not outlive (`cursorExpired`), that is thrown too. Leaving the loop withdraws, so that
/// the last one to leave cancels the execution, unless the request says `.detach`.
public struct ExecutionElements: AsyncSequence, Sendable {
    public typealias Element = RawJSON
    public typealias Failure = ClientError

    let client: Client
    let request: ExecuteRequest

    public func makeAsyncIterator() -> Iterator {
        Iterator(state: .unasked(client, request))
    }

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

        public mutating func next() async throws(ClientError) -> RawJSON? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> RawJSON? {
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
            // What is thrown below ends the iteration, and lets go of the stream.
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
    /// Executes an action and gives its elements: `for try await element in client.elements(of: "deploy", ["env": "prod"])`.
    ///
    /// - Parameters:
    ///   - onDisconnect: with `.cancel`, leaving the loop withdraws as the end of the connection does.
    ///   - timeout: longest the work may take, as on the wire ("500ms", "10s"); the action's own limit stays.
    ///   - key: makes a repetition harmless, see `ExecuteRequest.key`.
    public func elements(
        of action: String, _ input: JSONValue, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> ExecutionElements {
        elements(
            ExecuteRequest(
                action: action, input: RawJSON(input), onDisconnect: onDisconnect, timeout: timeout, key: key))
    }

    /// As above, with JSON as it stands, or no input at all.
    public func elements(
        of action: String, _ input: RawJSON? = nil, onDisconnect: ExecuteRequest.OnDisconnect = .cancel,
        timeout: String? = nil, key: String? = nil
    ) -> ExecutionElements {
        elements(
            ExecuteRequest(action: action, input: input, onDisconnect: onDisconnect, timeout: timeout, key: key))
    }

    /// The same for a request that is at hand.
    public func elements(_ request: ExecuteRequest) -> ExecutionElements {
        ExecutionElements(client: self, request: request)
    }
}
