internal import Synchronization

/// What an application may set for the whole library. Each may be set at any time, from any thread.
public enum Hooks {
    /// Receives an error that no handler received, with the call stack of its subscription, if that was recorded.
    public typealias DefaultErrorHandler = @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// Makes the call stack of a subscription, an entry a frame.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

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

    /// Whether `subscribe` remembers its call stack when it is given nothing that handles errors. False at first: it costs
    /// microseconds a subscription.
    public static var recordCallStackOnError: Bool {
        get { recording.load(ordering: .relaxed) }
        set { recording.store(newValue, ordering: .relaxed) }
    }

    /// Called when a sequence fails whose subscriber handles no errors. At first it writes a line to standard error.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { handlers.withLock { $0.error } }
        set {
            // Released outside of the lock, with what the closure holds.
            let old = handlers.withLock { handlers in
                defer { handlers.error = newValue }
                return handlers.error
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Called for the call stack of a subscription while `recordCallStackOnError` is set. At first it names the functions.
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

    /// What takes the place of an error handler that a subscriber did not give. Made when it subscribes, since that is
    /// whose call stack it tells.
    static func unhandledError() -> @Sendable (any Error) -> Void {
        // Without a closure of its own as long as there is no call stack to keep.
        if !recordCallStackOnError { return { defaultErrorHandler([], $0) } }
        let callStack = customCaptureSubscriptionCallstack()
        return { defaultErrorHandler(callStack, $0) }
    }
}
