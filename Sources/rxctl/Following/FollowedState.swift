internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints the states of a reactor, or a part of them, and ends the session when the subscription ends.
final class FollowedState {
    private let session: DaemonSession
    private let command: StateCommand
    private let subscription: FollowedSubscription
    private let path: JSONPointer?
    /// The part printed last, with `--path`.
    private var part: JSONValue?

    init(_ session: DaemonSession, _ command: StateCommand) {
        self.session = session
        self.command = command
        path = command.path.flatMap { try? JSONPointer($0) }
        var request = SubscribeRequest(.reactor([command.reactor]), channels: [.state])
        // Patches of a part are computed here.
        request.patch = command.patch && path == nil
        subscription = FollowedSubscription(session, request)
    }

    func start() {
        subscription.onOpen = opened
        subscription.onEvent = receive
        subscription.start()
    }

    /// Prints the present state, after a reconnection as well.
    private func opened(_ reply: RawJSON, _: Reconnection?) {
        let levels = reply.value()["snapshot"]?["reactors"]?[command.reactor]
        show(levels?["state"] ?? .null, levels?["revision"] ?? .null)
    }

    private func receive(_ event: StreamEvent) {
        guard !session.isOver else { return }
        switch (event.channel, event.content) {
        case (.state, .value(let value)):
            let value = value.value()
            show(value["state"] ?? .null, value["revision"] ?? .null)
        case (.state, .patch):
            session.print(event.patchAndRevision)
        case (.end, _):
            session.finish(.ended(event.reason ?? .completed))
        case _:
            break
        }
    }

    private func show(_ state: JSONValue, _ revision: JSONValue) {
        guard let path else {
            session.print(RawJSON(command.patch ? ["state": state, "revision": revision] : state))
            return
        }
        let new = state.value(at: path) ?? .null
        guard new != part else { return }
        if command.patch, let part {
            var writer = JSONWriter()
            JSONPatch(from: part, to: new).write(to: &writer)
            session.print(RawJSON(["patch": RawJSON(unchecked: writer.bytes).value(), "revision": revision]))
        } else {
            session.print(RawJSON(command.patch ? ["state": new, "revision": revision] : new))
        }
        part = new
    }
}

extension StreamEvent {
    /// The patch and the revision of an event that has a patch.
    var patchAndRevision: RawJSON {
        let record = record.value()
        return RawJSON(["patch": record["patch"] ?? .null, "revision": record["revision"] ?? .null])
    }
}
