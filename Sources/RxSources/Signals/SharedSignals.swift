public import RxLoop

// Sendable: the mutable state belongs to the loop's thread.
/// The signals that streams use. A signal has one watch in the process, which all streams with that signal share; it is
/// caught from the first stream on, and ignored after the last one.
public final class SharedSignals: @unchecked Sendable {
    private let loop: EventLoop
    private let system: any SignalSystem
    private var watches: [Int32: SharedWatch] = [:]
    private var strayHandler: (@Sendable (SignalName) -> Void)?

    private struct SharedWatch {
        let cancel: () -> Void
        /// In the order in which they were added.
        var handlers: [(token: Token, call: @Sendable (ReceivedSignal) -> Void)] = []
    }

    /// The identity of one use of a signal.
    final class Token: Sendable {}

    /// Signals are delivered on `loop`, which must run as long as a stream uses them.
    public convenience init(loop: EventLoop) {
        self.init(loop: loop, system: LoopSignals(loop: loop))
    }

    init(loop: EventLoop, system: any SignalSystem) {
        self.loop = loop
        self.system = system
    }

    /// Catches `USR1` and `USR2`, which would end the daemon, whether or not a stream uses them, and calls `handler`
    /// for each one that no stream uses. Loop thread only; called at most once.
    ///
    /// - Throws: if no descriptor or no memory is left.
    public func catchStrays(_ handler: @escaping @Sendable (SignalName) -> Void) throws(SystemCallError) {
        strayHandler = handler
        for number in SignalName.userDefined.values.sorted() { try open(number) }
    }

    /// Ends all watches. Loop thread only.
    public func cancel() {
        strayHandler = nil
        let all = watches.values
        watches = [:]
        for watch in all { watch.cancel() }
    }

    /// Calls `handler` on the loop for each signal from now on. Any thread.
    ///
    /// - Parameter result: called once, on the loop, before any call of `handler`: with nil, or with the reason why the
    ///   signal cannot be caught.
    func add(
        _ number: Int32, _ handler: @escaping @Sendable (ReceivedSignal) -> Void,
        result: @escaping @Sendable (SystemCallError?) -> Void
    ) -> Token {
        let token = Token()
        loop.execute { [self] in
            do throws(SystemCallError) {
                try open(number)
                watches[number]?.handlers.append((token, handler))
                result(nil)
            } catch {
                result(error)
            }
        }
        return token
    }

    /// Takes back one `add`. Any thread; a call that is under way may still be made.
    func remove(_ number: Int32, _ token: Token) {
        loop.execute { [self] in
            guard let index = watches[number]?.handlers.firstIndex(where: { $0.token === token }) else { return }
            watches[number]?.handlers.remove(at: index)
            guard watches[number]?.handlers.isEmpty == true, !isStray(number) else { return }
            watches.removeValue(forKey: number)?.cancel()
        }
    }

    private func isStray(_ number: Int32) -> Bool {
        strayHandler != nil && SignalName.userDefined.values.contains(number)
    }

    private func open(_ number: Int32) throws(SystemCallError) {
        guard watches[number] == nil else { return }
        watches[number] = SharedWatch(cancel: try system.watch(number) { [weak self] in self?.received($0) })
    }

    private func received(_ signal: ReceivedSignal) {
        guard let handlers = watches[signal.number]?.handlers else { return }
        for handler in handlers { handler.call(signal) }
        guard handlers.isEmpty, let strayHandler else { return }
        for (name, number) in SignalName.userDefined where number == signal.number {
            if let name = try? SignalName(name) { strayHandler(name) }
        }
    }
}
