internal import Synchronization

/// Library-wide settings of the application. Each can be changed at any time, from any thread.
public enum Hooks {
    /// Receives the call stack of a subscription, empty unless it was recorded, and its unhandled error.
    public typealias DefaultErrorHandler = RxSendableClosure<[String], any Error, Void>
    /// Returns the current call stack, one entry per frame.
    public typealias CustomCaptureSubscriptionCallstack = RxSendableClosure<[String]>

    private struct Handlers: Sendable {
        var error: DefaultErrorHandler = { callStack, error in
            var text = "Rx: unhandled error: \(error)\n"
            if !callStack.isEmpty { text += "subscribed in\n" + callStack.map { "    \($0)\n" }.joined() }
            StandardError.write(text)
        }
        var callStack: CustomCaptureSubscriptionCallstack = { CallStack.here().dropFirst().map(\.description) }
    }

    private static let handlers = Locked(Handlers())
    private static let recording = Atomic(false)

    /// Whether `subscribe` records its call stack if it has no error handler. False by default, because it costs
    /// microseconds per subscription.
    public static var recordCallStackOnError: Bool {
        get { recording.load(ordering: .relaxed) }
        set { recording.store(newValue, ordering: .relaxed) }
    }

    /// Called for an error without a handler. By default, prints a line to standard error.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handlers.withLock { $0.error } }
        set {
            // The closure is released outside the lock, together with its captures.
            let old = handlers.withLock { handlers in
                defer { handlers.error = newValue }
                return handlers.error
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns the call stack of a subscription while `recordCallStackOnError` is set. By default, lists the functions.
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { handlers.withLock { $0.callStack } }
        set {
            let old = handlers.withLock { handlers in
                defer { handlers.callStack = newValue }
                return handlers.callStack
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns the error handler of a subscriber that has none. Called when it subscribes, to record that call stack.
    static func unhandledError() -> @Sendable (any Error) -> Void {
        // No extra closure is needed unless there is a call stack to keep.
        if !recordCallStackOnError { return { defaultErrorHandler([], $0) } }
        let callStack = customCaptureSubscriptionCallstack()
        return { defaultErrorHandler(callStack, $0) }
    }
}
