internal import CEpoll

// Sendable: `wake` and `now` may be called from any thread; everything else belongs to the loop's thread.
/// Everything that an event loop uses of the outside world: readiness of descriptors, a clock, a wake-up, and a thread.
///
/// `EpollKernel` is the system's; a simulation subclasses this class, decides which descriptors are ready and what time
/// it is, and takes the loop's turns itself (`EventLoop.takeTurn`).
package class LoopKernel: @unchecked Sendable {
    /// The most events of one turn; more are left for the next.
    package static let mostEvents = Int(cepoll_batch)

    /// The events of the turn: the first ones, as many as `wait` has returned.
    final let events = UnsafeMutablePointer<cepoll_event>.allocate(capacity: LoopKernel.mostEvents)

    /// - Throws: the error of a resource that cannot be created.
    package init() throws(SystemCallError) {}

    deinit { events.deallocate() }

    @inline(__always)
    final func event(at index: Int) -> (key: UInt64, readiness: Readiness) {
        (events[index].key, Readiness(events: events[index].events))
    }

    // MARK: Descriptors

    /// Reports `interest` in `fd` under `key` from now on. Returns 0, or a negative errno: -EPERM for a descriptor that
    /// never blocks.
    package func add(_ fd: Int32, _ interest: Interest, key: UInt64) -> Int32 { abstract() }

    /// Changes the interest in `fd`.
    package func modify(_ fd: Int32, _ interest: Interest, key: UInt64) { abstract() }

    /// Stops reporting `fd`.
    package func remove(_ fd: Int32) { abstract() }

    /// Waits until a descriptor is ready, `wake` is called, or `nanoseconds` have passed (negative: no limit). Returns
    /// the number of events; 0 if there are none. A subclass describes each with `setEvent`.
    package func wait(nanoseconds: Int64) -> Int { abstract() }

    /// Describes the event at `index`, which is less than `mostEvents`.
    package final func setEvent(_ index: Int, _ readiness: Readiness, key: UInt64) {
        events[index] = cepoll_event(key: key, events: readiness.events)
    }

    // MARK: Time and threads

    /// Nanoseconds of a clock that never goes back.
    package var now: UInt64 { abstract() }

    /// Ends the current `wait`, or the next one if none is under way. Any thread.
    package func wake() { abstract() }

    /// Calls `body` on a new thread named `name`. A simulation takes turns instead and ignores it.
    package func startThread(name: String, _ body: @escaping () -> Void) { abstract() }

    /// Waits until the thread has ended; returns at once if there is none.
    package func joinThread() { abstract() }

    private func abstract() -> Never { fatalError("a subclass implements this") }
}
