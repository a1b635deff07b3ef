internal import RxClient
internal import RxJSON

extension DaemonSession {
    /// Starts an execution; `then` is called once, with the daemon's reply.
    func detach(_ request: ExecuteRequest, then: @escaping (Result<RawJSON, ClientError>) -> Void) {
        // Only a request with a stream is answered before the end of the work; the stream itself is not needed.
        var stream: FollowedStream?
        stream = link.open(.execution(request), deliver: { _ in }) { [self] reply in
            if case .success = reply { stream.map { link.unsubscribe($0) } }
            then(reply.map { $0.without("subscription") })
        }
    }
}
