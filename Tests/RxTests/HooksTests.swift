import Dispatch
import Testing
import TestSupport

@testable import Rx

/// The hooks are one for the process: what sets them runs by itself.
@Suite("Hooks, debug and trace", .leakFree, .serialized)
struct HooksTests {
    @Suite("Unhandled errors", .leakFree, .serialized)
    struct UnhandledErrors {
        private func handled(recording: Bool, _ body: () -> Void) -> [(callStack: [String], error: any Error)] {
            let before = (
                Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack, Hooks.recordCallStackOnError
            )
            defer {
                (Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack, Hooks.recordCallStackOnError) =
                    before
            }
            let seen = Locked<[(callStack: [String], error: any Error)]>([])
            Hooks.defaultErrorHandler = { callStack, error in
                // Others' tests may fail at the same time.
                if error is HookError { seen.withLock { $0.append((callStack, error)) } }
            }
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            Hooks.recordCallStackOnError = recording
            body()
            return seen.withLock { $0 }
        }

        private struct HookError: Error {}

        @Test(
            "an error without a handler goes to the hook, with the call stack of the subscription if that is recorded")
        func unhandled() {
            for (recording, callStack) in [(false, []), (true, ["here"])] {
                let seen = handled(recording: recording) {
                    _ = Observable<Int>.error(HookError()).subscribe()
                    _ = Observable<Int>.error(HookError()).subscribe(onNext: { _ in })
                    _ = Observable<Int>.error(HookError()).map { $0 }.subscribe(onCompleted: {}, onDisposed: {})
                }
                #expect(seen.map(\.callStack) == [callStack, callStack, callStack])
            }
        }

        @Test("an error with a handler does not, nor one for an observer or a closure of events")
        func handledElsewhere() {
            let seen = handled(recording: true) {
                let recorder = Recorder<Int>()
                _ = Observable<Int>.error(HookError()).subscribe(onError: { _ in })
                _ = Observable<Int>.error(HookError()).subscribe(recorder)
                _ = Observable<Int>.error(HookError()).subscribe { _ in }
                #expect(recorder.text == "x")
            }
            #expect(seen.isEmpty)
        }

        @Test("for an object, the error goes to the hook when there is no closure for it")
        func withObject() {
            final class Object: Sendable {}
            let object = Object()
            let seen = handled(recording: false) {
                _ = Observable<Int>.error(HookError()).subscribe(with: object, onNext: { _, _ in })
                _ = Observable<Int>.error(HookError()).subscribe(with: object, onError: { _, _ in })
            }
            #expect(seen.count == 1)
        }

        @Test("the call stack names functions, the application's too")
        func callStack() {
            let names = Hooks.customCaptureSubscriptionCallstack()
            #expect(names.contains { $0.contains("callStack()") }, "\(names)")
            #expect(!names.contains { $0.contains("CallStack.here") })
        }
    }

    @Suite("debug", .leakFree)
    struct DebugTests {
        private func lines(
            _ source: Observable<String>, trimOutput: Bool = false, disposing: Bool = false
        ) -> [String] {
            let lines = Locked<[String]>([])
            var log = DebugLog(identifier: "id", trimOutput: trimOutput)
            log.output = { line in lines.withLock { $0.append(line) } }
            let subscription = Debug(source, log).subscribe(onError: { _ in })
            if disposing { subscription.dispose() }
            return lines.withLock { $0 }
        }

        private func text(_ lines: [String]) -> [String] { lines.map { String($0.dropFirst(25)) } }

        @Test("each event is a line with the time and the identifier")
        func events() throws {
            let printed = lines(.of("a", "b"))
            #expect(
                text(printed) == [
                    "id -> subscribed", "id -> Event next(a)", "id -> Event next(b)", "id -> Event completed",
                    "id -> isDisposed",
                ])
            let time = #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}: .*/#
            for line in printed { #expect(try time.wholeMatch(in: line) != nil) }
        }

        @Test("an error and disposal are lines too")
        func others() {
            #expect(
                text(lines(.error(Oops()))) == ["id -> subscribed", "id -> Event error(Oops())", "id -> isDisposed"])
            #expect(text(lines(.never(), disposing: true)) == ["id -> subscribed", "id -> isDisposed"])
        }

        @Test("a long event is trimmed when asked for: its first and its last twenty characters stay")
        func trimmed() {
            let long = String(repeating: "x", count: 50)
            #expect(text(lines(.just(long)))[1] == "id -> Event next(\(long))")
            let halves = ("next(" + String(repeating: "x", count: 15), String(repeating: "x", count: 19) + ")")
            #expect(text(lines(.just(long), trimOutput: true))[1] == "id -> Event \(halves.0)...\(halves.1)")
            let fits = String(repeating: "x", count: 34)
            #expect(text(lines(.just(fits), trimOutput: true))[1] == "id -> Event next(\(fits))")
        }

        @Test("it hands on what it prints, and disposes from the bottom up")
        func order() {
            let lines = Locked<[String]>([])
            func log(_ name: String) -> DebugLog {
                var log = DebugLog(identifier: name, trimOutput: false)
                log.output = { line in lines.withLock { $0.append(String(line.dropFirst(25))) } }
                return log
            }
            let subject = PublishSubject<Int>()
            let subscription = Debug(Debug(subject, log("a")).map { $0 }, log("b")).subscribe()
            subscription.dispose()
            #expect(
                lines.withLock { $0 } == [
                    "b -> subscribed", "a -> subscribed", "b -> isDisposed", "a -> isDisposed",
                ])
            #expect(marbles(of: Observable.of(1, 2).debug()) == "1 2 |")
        }
    }

    @Suite("trace", .leakFree, .serialized)
    struct TraceTests {
        private func tracing(_ body: () -> Void) {
            Hooks.isTracing = true
            body()
            Hooks.isTracing = false
        }

        @Test("a live subscription lists its operators, from the source to the observer, and where they were made")
        func chain() throws {
            let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
            tracing {
                let subscription = Observable<Int>.interval(.seconds(100), scheduler: scheduler)
                    .map { "\($0)" }.share().filter { !$0.isEmpty }.subscribe()
                let trace = Hooks.trace(of: subscription)
                #expect(trace?.steps.map(\.name) == ["timer", "map", "share", "filter"])
                #expect(trace?.steps.map(\.element) == ["Int", "String", "String", "String"])
                #expect(trace?.observer == "subscribed")
                for place in (trace?.steps.map(\.place) ?? []) + [trace?.place] {
                    #expect(place?.contains("TraceTests.chain()") == true, "\(place ?? "nowhere")")
                }
                // The share has a subscription of its own.
                let live = Hooks.liveSubscriptions.map { $0.steps.map(\.name).joined(separator: " ") }
                #expect(live.contains("timer map"))
                subscription.dispose()
                #expect(Hooks.trace(of: subscription) == nil)
            }
        }

        @Test("several sources are listed one after the other, indented; names and places may be given")
        func sources() {
            tracing {
                let left = PublishSubject<Int>(), right = BehaviorSubject(value: 1)
                let subscription = Observable.merge(left.map { $0 }, right.asObservable())
                    .trace("both", file: "a/b.swift", line: 7, function: "f()").take(3).subscribe()
                let trace = Hooks.trace(of: subscription)
                #expect(
                    trace?.steps.map(\.name) == ["PublishSubject", "map", "BehaviorSubject", "merge", "both", "take"])
                #expect(trace?.steps.map(\.depth) == [1, 1, 1, 0, 0, 0])
                #expect(trace?.steps[4].place == "b.swift:7, in f()")
                #expect(trace?.description.contains("    map <Int>") == true)
                #expect(trace?.description.hasPrefix("    PublishSubject <Int>") == true)
                subscription.dispose()
            }
        }

        @Test("inner subscriptions are listed with the operator they are for; what is over is not listed")
        func inner() {
            tracing {
                let inner = PublishSubject<Int>()
                let subscription = Observable.just(1).flatMap { _ in inner.map { $0 + 1 } }.subscribe()
                let live = Hooks.liveSubscriptions.filter { $0.steps.map(\.name) == ["PublishSubject", "map"] }
                #expect(live.count == 1)
                #expect(live.first?.observer == "subscribed by MergeLeg")
                subscription.dispose()
                #expect(!Hooks.liveSubscriptions.contains { $0.steps.map(\.name) == ["PublishSubject", "map"] })
            }
        }

        @Test("without tracing nothing is listed")
        func off() {
            let subscription = Observable<Int>.never().subscribe()
            #expect(Hooks.trace(of: subscription) == nil)
            subscription.dispose()
        }
    }
}
