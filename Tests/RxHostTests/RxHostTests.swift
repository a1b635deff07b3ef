// Tests of RxHost.

import Rx
import RxAction
import RxJSON
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Waits until `condition` holds, or for as long as a test may wait.
///
/// - Returns: whether it came to hold.
func eventually(within limit: Duration = .seconds(120), _ condition: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !condition() {
        if clock.now > deadline { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}

/// Work that a test drives by hand, one execution at a time.
struct Puppet: Sendable {
    let subject = PublishSubject<RawJSON>()

    func definition(
        name: String = "puppet", scheduler: WorkScheduler = .inline, timeout: Duration? = nil,
        fingerprint: String = "puppet"
    ) -> ActionDefinition {
        ActionDefinition(name: name, kind: "test", scheduler: scheduler, timeout: timeout, fingerprint: fingerprint) {
            [subject] _ in subject.asObservable()
        }
    }

    func send(_ text: String) { subject.onNext(RawJSON(unchecked: Array(text.utf8))) }

    func complete() { subject.onCompleted() }
}

extension ObservedRequest {
    /// A request of this process.
    static func own(
        _ input: String = "null", timeout: Duration? = nil, requester: UInt64? = nil, isWatched: Bool = false,
        observer: ExecutionEvent.Observer? = nil
    ) -> ObservedRequest {
        ObservedRequest(
            ExecutionRequest(
                input: RawJSON(unchecked: Array(input.utf8)), by: .host, timeout: timeout, requester: requester,
                isWatched: isWatched),
            observer)
    }
}

extension Host {
    /// What a reader receives, as words: the events, and `lost` where some are missing.
    func read(_ source: EventSource, _ kinds: EventKinds, from start: EventStart) async throws -> [String] {
        let opening = try await log.openLookingUp(source, kinds, from: start).get()
        defer { log.unwatch(source) }
        guard var position = opening.position else { return [] }
        var texts: [String] = []
        while true {
            let portion = log.nextPortion(of: source, kinds, after: &position)
            for item in portion.items {
                switch item {
                case .event(let event): texts.append(event.text)
                case .encoded: Issue.record("nothing is encoded without an encoder")
                case .lost(let count, _, _): texts.append("lost \(count.map { "\($0)" } ?? "some")")
                }
            }
            if portion.isComplete { return texts }
            await log.read(portion.need, of: source, kinds, for: &position)
        }
    }
}

extension ExecutionEvent {
    /// The event in a word, for comparisons.
    var text: String {
        switch self {
        case .lost(let count): "lost \(count)"
        case .element(let element): element.text
        case .ended(nil): "completed"
        case .ended(let error?): error.state.rawValue
        }
    }
}

extension HostEvent {
    /// The change in a word or two, for comparisons.
    var text: String {
        switch change {
        case .element(let element): "element \(element.text)"
        case .failure(let error, _): "failure \(error.state.rawValue)"
        case .refusal(let enabled): "refusal \(enabled.isEnabled)"
        case .queueFull(let limit): "queueFull \(limit)"
        case .conditionFailure: "conditionFailure"
        case .executing(let executing): "executing \(executing)"
        case .enabled(let enabled): "enabled \(enabled.isEnabled)"
        case .execution(let record): "execution \(record.state.rawValue)"
        case .state(let revision): "state \(revision.number)"
        case .fault(let fault): "fault \(fault.stage.rawValue)"
        case .firing(let firing): "firing \(firing.text)"
        case .streamFailure(let facts): "streamFailure \(facts.text)"
        case .drops(let drops): "drops \(drops.count.map { "\($0)" } ?? "?") \(drops.step)"
        case .added: "added"
        case .changed: "changed"
        case .removed: "removed"
        }
    }
}

extension EventLog {
    /// Keeps all later events of `actions` for `drain`.
    @discardableResult
    func watch(_ actions: [HostedAction]) -> (cursor: UInt64, levels: [ActionLevels]) {
        switch open(.named(actions), [.elements, .errors, .executions, .executing, .enabled], from: .now) {
        case .success(let opening): (opening.cursor, opening.levels.compactMap(\.ofAction))
        case .failure(let refusal): preconditionFailure("\(refusal)")
        }
    }
}

extension HostedLevels {
    var ofAction: ActionLevels? {
        switch self {
        case .action(let levels): levels
        case .reactor, .nothing: nil
        }
    }
}
