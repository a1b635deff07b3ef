internal import JSONRPC
internal import RxClient
internal import RxProtocol

/// The wait of a line's request while the daemon has no room for it, or is being restarted.
///
/// Polling needs no right to subscribe. The pauses are short at first, because work may be short, and then about as
/// long as a person notices.
final class HeldRequest {
    private static let pace = Reconnecting(first: .milliseconds(10), longest: .milliseconds(500))

    private let session: DaemonSession
    private let place: LinePlace
    private var refusals = 0
    /// Whether it waits to be sent.
    private(set) var isWaiting = false

    init(_ session: DaemonSession, _ place: LinePlace) {
        self.session = session
        self.place = place
    }

    /// Calls `body` after a pause.
    func wait(because error: ClientError, hasKey: Bool, then body: @escaping () -> Void) {
        if case .closed = error, !hasKey {
            session.note("\(place.text): the answer was lost, and it is sent again; with --key it cannot start twice")
        } else if refusals == 0, StandardStreams.errorIsTerminal, case .refused(let refusal) = error {
            session.note("\(place.text) is held back: \(refusal.forPeople)")
        }
        isWaiting = true
        session.schedule(after: HeldRequest.pace.delay(after: refusals)) { [self] in
            isWaiting = false
            body()
        }
        refusals += 1
    }
}
