internal import RxClient

/// The request of one line with `--each --detach`. While the daemon has no room for it, or is being restarted, it is
/// held back and sent again; any other answer settles it.
///
/// A request whose answer was lost with the daemon is sent again, too. With a key, the daemon recognizes it; without
/// one, the line may be executed twice, which is better than not at all.
final class DetachedLine: ExecutedLine {
    private let session: DaemonSession
    private let request: ExecuteRequest
    private let deliver: (LineResult) -> Void
    private let held: HeldRequest
    private var isWithdrawn = false

    var key: String? { request.key }

    /// - Parameter deliver: called with the acceptance, if it is accepted, and once with the end.
    init(
        _ session: DaemonSession, _ request: ExecuteRequest, _ place: LinePlace, deliver: @escaping (LineResult) -> Void
    ) {
        self.session = session
        self.request = request
        self.deliver = deliver
        held = HeldRequest(session, place)
    }

    func start() {
        session.detach(request) { [self] reply in
            switch reply {
            case .success(let reply):
                deliver(.accepted(reply))
                deliver(.end(.done, execution: ExecuteReply(reply)?.execution))
            case .failure(let error) where error.mayPass && !isWithdrawn:
                held.wait(because: error, hasKey: request.key != nil) { [self] in
                    if isWithdrawn { deliver(.end(.interrupted, execution: nil)) } else { start() }
                }
            case .failure(let error):
                deliver(.end(Ending(error), execution: nil))
            }
        }
    }

    func withdraw() { isWithdrawn = true }
}
