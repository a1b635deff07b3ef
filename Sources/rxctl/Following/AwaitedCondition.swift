internal import RxClient
internal import RxJSON
internal import RxProtocol

/// `wait --for`: reads a subscription until the condition holds for a record.
final class AwaitedCondition {
    private let session: DaemonSession
    private let condition: RecordCondition
    private let subscription: FollowedSubscription
    private let target: SubscribeRequest.Target

    init(_ session: DaemonSession, _ condition: RecordCondition, of target: SubscribeRequest.Target) {
        self.session = session
        self.condition = condition
        self.target = target
        subscription = FollowedSubscription(
            session, SubscribeRequest(target, channels: Self.channels(of: target)),
            FollowedSubscription.Policy(channels: Self.channels))
    }

    private static func channels(of target: SubscribeRequest.Target) -> [Channel] {
        switch target {
        case .action: [.elements, .errors, .executing, .enabled, .executions]
        case .reactor: [.state, .errors]
        case .stream: [.elements, .errors, .firings]
        case .execution: [.elements, .errors, .executions]
        }
    }

    func start() {
        subscription.onOpen = opened
        subscription.onEvent = receive
        subscription.start()
    }

    private func opened(_ reply: RawJSON, _ reconnection: Reconnection?) {
        // Changes since then come as events.
        guard reconnection?.isResumed != true else { return }
        for record in AwaitedCondition.records(ofSnapshot: reply.value()["snapshot"] ?? .null) { test(record) }
    }

    private func receive(_ event: StreamEvent) {
        test(event.record)
        guard event.channel == .end else { return }
        let reason = event.reason ?? .completed
        switch (target, reason) {
        case (.execution, .completed), (.execution, .failed), (.execution, .cancelled), (.execution, .timedOut):
            session.finish(
                Ending(
                    outcome: .failed,
                    message: .text("the execution ended (\(reason.rawValue)) before the expression held"),
                    facts: ["name": .string(reason.rawValue)]))
        case _:
            session.finish(.ended(reason))
        }
    }

    private func test(_ record: RawJSON) {
        guard !session.isOver, condition.holds(for: record, onFailure: session.note) else { return }
        session.print(record)
        session.finish()
    }

    /// The levels of a snapshot as the records of events with the same content.
    static func records(ofSnapshot snapshot: JSONValue) -> [RawJSON] {
        var records: [JSONObject] = []
        for action in snapshot["actions"]?.object ?? [:] {
            let name = JSONValue.string(action.key)
            let executing = action.value["executing"] ?? .null
            let enabled: JSONObject = [
                "enabled": action.value["enabled"] ?? .null, "reason": action.value["reason"] ?? .null,
            ]
            records.append(["channel": "executing", "action": name, "value": executing])
            records.append(["channel": "enabled", "action": name, "value": .object(enabled)])
        }
        for reactor in snapshot["reactors"]?.object ?? [:] {
            records.append(["channel": "state", "reactor": .string(reactor.key), "value": reactor.value])
        }
        for execution in snapshot["executions"]?.object ?? [:] {
            records.append([
                "channel": "executions", "action": execution.value["action"] ?? .null,
                "execution": .string(execution.key), "value": execution.value,
            ])
        }
        return records.map { RawJSON(.object($0)) }
    }
}
