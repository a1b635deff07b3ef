internal import RxClient
internal import RxJSON

extension DaemonSession {
    /// Starts an execution and prints its id; `then` is called once.
    func detach(_ request: ExecuteRequest, then: @escaping (Result<Void, ClientError>) -> Void) {
        // Only a request with a stream is answered before the end of the work; the stream itself is not needed.
        var stream: FollowedStream?
        stream = link.open(.execution(request), deliver: { _ in }) { [self] reply in
            switch reply {
            case .failure(let error):
                then(.failure(error))
            case .success(let result):
                stream.map { link.unsubscribe($0) }
                if options.json {
                    print(result.without("subscription"))
                } else {
                    print(ExecuteReply(result)?.execution ?? "")
                }
                then(.success(()))
            }
        }
    }
}
