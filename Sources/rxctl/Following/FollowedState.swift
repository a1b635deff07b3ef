internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints a reactor's states, or what is wanted of them, and ends the session when there are no more.
final class FollowedState {
    private let session: DaemonSession
    private let command: StateCommand
    private let subscription: FollowedSubscription
    private let path: JSONPointer?
    /// What was printed last, where only a part is wanted.
    private var part: JSONValue?

    init(_ session: DaemonSession, _ command: StateCommand) {
        self.session = session
        self.command = command
        path = command.path.flatMap { try? JSONPointer($0) }
        var request = SubscribeRequest(.reactors([command.reactor]), channels: [.state])
        // Of a part the difference is found here.
        request.patches = command.patch && path == nil
        subscription = FollowedSubscription(session, request)
    }

    func start() {
        subscription.onOpen = opened
        subscription.onEvent = receive
        subscription.start()
    }

    /// After a reconnection too: whatever the state is then.
    private func opened(_ reply: RawJSON, _: Reconnection?) {
        let levels = reply.value()["snapshot"]?["reactors"]?[command.reactor]
        tell(levels?["state"] ?? .null, levels?["revision"] ?? .null)
    }

    private func receive(_ event: StreamEvent) {
        guard !session.isOver else { return }
        switch (event.channel, event.content) {
        case (.state, .value(let value)):
            let value = value.value()
            tell(value["state"] ?? .null, value["revision"] ?? .null)
        case (.state, .patch):
            session.print(event.patchAndRevision)
        case (.end, _):
            session.finish(.ended(event.endReason ?? .completed))
        case _:
            break
        }
    }

    private func tell(_ state: JSONValue, _ revision: JSONValue) {
        guard let path else {
            return session.print(RawJSON(command.patch ? ["state": state, "revision": revision] : state))
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
    /// Of an event with a patch.
    var patchAndRevision: RawJSON {
        let record = record.value()
        return RawJSON(["patch": record["patch"] ?? .null, "revision": record["revision"] ?? .null])
    }
}
