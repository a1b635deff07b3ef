import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("Retried work", .countedApart)
struct RetriedWorkTests {
    private struct Trouble: Error {}

    private let attempts = Heard<Int>()

    private func host(
        attempts count: Int = 3, delay: Duration = .milliseconds(1), timeout: Duration? = nil,
        notes: Heard<RetryNote> = Heard(), _ work: @escaping @Sendable (Invocation) -> Observable<RawJSON>
    ) throws -> (Host, HostedAction) {
        let definition = ActionDefinition(
            name: "flaky", kind: "test", timeout: timeout,
            retry: RetryPolicy(attempts: count, delay: delay, backoff: 2, max: .seconds(3600)), fingerprint: ""
        ) { [attempts] invocation in
            attempts.add(invocation.attempt)
            return work(invocation)
        }
        let host = Host([definition], onRetry: { notes.add($0) })
        return (host, try #require(host.registry["flaky"]))
    }

    @Test("is tried as often as the policy allows, with growing delays, and fails as its last attempt does")
    func allFail() async throws {
        let notes = Heard<RetryNote>()
        let (host, action) = try host(attempts: 4, notes: notes) { .error(WorkFailure(message: "no \($0.attempt)")) }
        let execution = try host.execute(action, .own()).get()
        #expect(await eventually { !execution.isInFlight })
        #expect(attempts.values == [1, 2, 3, 4])
        #expect(notes.values.map(\.delay) == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
        #expect(host.log.record(of: execution).error?.description == "no 4")
    }

    @Test("ends with the first attempt that completes, and with a failure that will not pass")
    func ends() async throws {
        let (host, action) = try host { invocation in
            switch (invocation.input.text, invocation.attempt) {
            case ("1", 2): .just(.true)
            case ("2", 2): .error(WorkFailure(message: "never", mayPass: false))
            default: .error(Trouble())
            }
        }
        let first = try host.execute(action, .own("1")).get()
        #expect(await eventually { host.log.inFlight.isEmpty })
        #expect(host.log.record(of: first).state == .completed)
        let second = try host.execute(action, .own("2")).get()
        #expect(await eventually { host.log.inFlight.isEmpty })
        #expect(host.log.record(of: second).error?.description == "never")
        #expect(attempts.values == [1, 2, 1, 2])
    }

    @Test("has its failed attempts among the events for those who join it")
    func joined() async throws {
        let notes = Heard<RetryNote>()
        let (host, action) = try host(delay: .seconds(3600), notes: notes) { invocation in
            .concat(.just(.true), .error(WorkFailure(message: "no \(invocation.attempt)")))
        }
        let request = ExecutionRequest(input: .null, by: .host, key: "k")
        let first = try host.accept(action, request).get()
        #expect(await eventually { notes.values.count == 1 })
        var watched = request
        watched.isWatched = true
        let second = try host.accept(action, watched).get()
        #expect(second.disposition == .joined && second.execution === first.execution)
        let attachment = try #require(second.attachment)
        let events = attachment.events.map { event in
            switch event.change {
            case .element(let element): element.text
            case .execution(let record): record.attempts?.failure?.error.description ?? "none"
            default: "other"
            }
        }
        #expect(events == ["true", "no 1"])
        #expect(attachment.lost == nil)
        first.execution.cancel(by: .host)
    }

    @Test("that is canceled in an attempt, or waits for the next one, is not tried again", arguments: [true, false])
    func cancelled(hearsOfIt: Bool) async throws {
        for failures in 0...1 {
            let ends = PublishSubject<RawJSON>()
            let notes = Heard<RetryNote>()
            let (host, action) = try host(delay: .seconds(3600), notes: notes) { invocation in
                // One that ends in its own time keeps its handler; a cancellation does not dispose it.
                if hearsOfIt { invocation.context.onCancel { _ in ends.onError(Trouble()) } }
                return ends.asObservable()
            }
            let execution = try host.execute(action, .own()).get()
            #expect(await eventually { ends.hasObservers })
            if failures == 1 {
                ends.onError(Trouble())
                #expect(await eventually { notes.values.count == 1 })
            }
            execution.cancel(by: .host)
            #expect(await eventually { host.log.inFlight.isEmpty })
            #expect(host.log.record(of: execution).state == .cancelled)
            #expect(notes.values.count == failures)
        }
        #expect(attempts.values == [1, 1])
    }

    @Test("ends at its time-out, whichever attempt it has come to")
    func timedOut() async throws {
        let (host, action) = try host(attempts: 100, delay: .milliseconds(20), timeout: .milliseconds(50)) { _ in
            .error(Trouble())
        }
        let execution = try host.execute(action, .own()).get()
        #expect(await eventually { host.log.inFlight.isEmpty })
        #expect(host.log.record(of: execution).state == .timedOut)
        let made = attempts.values.count
        #expect(made < 100)
        // The action's scheduler is serial: earlier work on it would have run before this one.
        _ = try host.execute(action, .own()).get().cancel(by: .host)
        #expect(await eventually { host.log.inFlight.isEmpty })
        #expect(attempts.values.count <= made + 1)
    }

    @Test("that is canceled at any moment ends, and does nothing after its end", arguments: [true, false])
    func anyMoment(hearsOfIt: Bool) async throws {
        let (host, action) = try host(attempts: 100, delay: .microseconds(50)) { invocation in
            if hearsOfIt { invocation.context.onCancel { _ in } }
            return .error(Trouble())
        }
        for round in 0..<300 {
            let execution = try host.execute(action, .own()).get()
            let seen = attempts.values.count
            if round % 3 != 0 {
                _ = await eventually { attempts.values.count > seen + round % 5 || !execution.isInFlight }
            }
            execution.cancel(by: .host)
            try #require(await eventually { !execution.isInFlight && host.log.inFlight.isEmpty })
            let state = host.log.record(of: execution).state
            try #require(state == .cancelled || state == .failed)
        }
    }
}
