public import Rx

/// Creates sequences and expectations from marble diagrams.
///
/// ```
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.hot("--a-b-c-|", values: ["a": 1, "b": 2, "c": 3])
/// scheduler.expect(source.filter { $0 != 2 }).toBe("--a---c-|", values: ["a": 1, "c": 3])
/// scheduler.expect(subscriptionsOf: source).toBe("^-------!")
/// ```
///
/// Every character takes one frame, a unit of test time; spaces take none. `-` lets time pass. A letter or a digit is
/// the element of that name in `values`. `|` completes and `#` fails with `error`. `(ab|)` puts several events at the
/// frame of the `(`. ` 9s ` between spaces (also `ms`, `m`) lets that much time pass, converted by the scheduler's
/// resolution. In the diagram of a hot sequence, `^` is frame 0; events before it, at most 200 frames, come before the
/// subscription.
///
/// Frame 0 is 200 on the clock, the time at which `start` subscribes, too. Each pass through the scheduler takes a
/// frame.
extension TestScheduler {
    /// Creates a sequence that sends its events at their frames to the subscribers present then.
    ///
    /// It plays again for each `expect(_:)` after a `toBe`. A diagram with a syntax error fails the test, and the
    /// sequence then sends nothing.
    public func hot<Element>(
        _ diagram: String, values: [String: Element], error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<Element> {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return hot(site, diagram, values, error, otherwise: { _ in nil })
    }

    /// Creates a sequence that sends its events at their frames to the subscribers present then. The elements are the
    /// names themselves.
    ///
    /// It plays again for each `expect(_:)` after a `toBe`. A diagram with a syntax error fails the test, and the
    /// sequence then sends nothing.
    public func hot(
        _ diagram: String, error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<String> {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return hot(site, diagram, [:], error, otherwise: { String($0) })
    }

    /// Creates a sequence that sends its events to each subscriber. Frame 0 is the time of the subscription.
    ///
    /// A diagram with a syntax error fails the test, and the sequence then sends nothing.
    public func cold<Element>(
        _ diagram: String, values: [String: Element], error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<Element> {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return ColdObservable(self, read(site, diagram, .cold, values, error, otherwise: { _ in nil }) ?? [])
    }

    /// Creates a sequence that sends its events to each subscriber. Frame 0 is the time of the subscription. The
    /// elements are the names themselves.
    ///
    /// A diagram with a syntax error fails the test, and the sequence then sends nothing.
    public func cold(
        _ diagram: String, error: any Error = MarbleError(),
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> TestableObservable<String> {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        return ColdObservable(self, read(site, diagram, .cold, [:], error, otherwise: { String($0) }) ?? [])
    }

    /// Observes a sequence for comparison with a diagram. Call `toBe` on the result, which runs the scheduler.
    ///
    /// If several sequences share state, call `expect` for each of them before the first `toBe`.
    ///
    /// - Parameters:
    ///   - source: the sequence to observe.
    ///   - subscription: a diagram of when to subscribe (`^`) and when to dispose (`!`). By default, from frame 0 to
    ///     the end of the sequence, but for at most 800 frames, or 100 frames more than the longest diagram.
    ///   - fileID: the file of the call, for the reported issue.
    ///   - file: the path of that file.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    public func expect<Source: ObservableConvertibleType>(
        _ source: Source, subscription: String = "^",
        fileID: String = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> MarbleExpectation<Source.Element> {
        let site = CallSite(fileID: fileID, file: file, line: line, column: column)
        let zero = rounds.zero(at: clock)
        let observer = createObserver(Source.Element.self)
        let held = SingleAssignmentDisposable()
        if let times = readSubscription(site, subscription) {
            let observable = source.asObservable()
            scheduleAt(zero + times.subscribe) { held.setDisposable(observable.subscribe { observer.on($0) }) }
            if times.unsubscribe != .max { scheduleAt(zero + times.unsubscribe) { held.dispose() } }
        }
        if let round = rounds.current { scheduleAtEnd(of: round) { held.dispose() } }
        return MarbleExpectation(scheduler: self, observer: observer, zero: zero)
    }

    /// Observes the subscriptions to a hot or cold sequence for comparison with diagrams by `toBe`.
    public func expect<Element>(subscriptionsOf source: TestableObservable<Element>) -> SubscriptionExpectation {
        SubscriptionExpectation(scheduler: self) { source.subscriptions }
    }
}

extension TestScheduler {
    private func hot<Element>(
        _ site: CallSite, _ diagram: String, _ values: [String: Element], _ error: any Error,
        otherwise: @escaping @Sendable (Character) -> Element?
    ) -> TestableObservable<Element> {
        let zero = rounds.zero(at: clock)
        var events = read(site, diagram, .hot, values, error, otherwise: otherwise) ?? []
        if let first = events.first, zero + first.time < clock {
            site.fail("marble diagram: more than \(Defaults.subscribed) frames before `^`")
            events = []
        }
        return HotObservable(self, events, playedIn: rounds)
    }

    /// Calls `action` at the end of a round.
    private func scheduleAtEnd(of round: Int, _ action: @escaping @Sendable () -> Void) {
        scheduleAt(rounds.end(of: round)) { [unowned self] in
            // Diagrams read meanwhile may be longer.
            if rounds.end(of: round) > clock { scheduleAtEnd(of: round, action) } else { action() }
        }
    }

    /// The events of a diagram with their frames. If the diagram has a syntax error, fails the test and returns nil.
    func read<Element>(
        _ site: CallSite, _ text: String, _ kind: MarbleDiagram.Kind, _ values: [String: Element], _ error: any Error,
        otherwise: @escaping @Sendable (Character) -> Element?
    ) -> [Recorded<Event<Element>>]? {
        do {
            let diagram = try MarbleDiagram(text, kind, resolution: resolution)
            rounds.extend(by: diagram)
            return try MarbleValues(values, error, otherwise: otherwise).events(of: diagram)
        } catch {
            site.fail("\(error)")
            return nil
        }
    }

    /// The frames of a subscription. If the diagram has a syntax error, fails the test and returns nil.
    func readSubscription(_ site: CallSite, _ text: String) -> Subscription? {
        do {
            let diagram = try MarbleDiagram(text, .subscription, resolution: resolution)
            rounds.extend(by: diagram)
            let begin = diagram.entries.first { $0.mark == .subscribed }?.frame ?? 0
            guard let end = diagram.entries.first(where: { $0.mark == .unsubscribed }) else {
                return Subscription(begin)
            }
            if end.frame < begin { throw diagram.error(end.column, "a subscription is disposed after it is made") }
            return Subscription(begin, end.frame)
        } catch {
            site.fail("\(error)")
            return nil
        }
    }
}
