internal import RxClient
internal import RxJSON

extension DaemonSession {
    /// Has an execution started, prints its id and leaves it alone; `then` is called once, with a refusal or `.done`.
    func detach(_ request: ExecuteRequest, then: @escaping (Ending) -> Void) {
        // Only a request with a stream is answered before the end. Nothing of the stream is wanted.
        var stream: FollowedStream?
        stream = link.open(.execution(request), deliver: { _ in }) { [self] reply in
            switch reply {
            case .failure(let error):
                then(Ending(error))
            case .success(let result):
                stream.map { link.unsubscribe($0) }
                print(options.json ? result.without("subscription").text : ExecuteReply(result)?.execution ?? "")
                then(.done)
            }
        }
    }
}
