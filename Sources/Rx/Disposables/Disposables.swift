/// Makes disposables.
public struct Disposables: Sendable {
    private init() {}
}

extension Disposables {
    /// One that does nothing.
    public static func create() -> any Disposable { NopDisposable.instance }

    /// One that calls `dispose` on the first `dispose()`.
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// One that disposes all of these.
    public static func create(_ first: any Disposable, _ second: any Disposable) -> any Cancelable {
        CompositeDisposable(disposables: [first, second])
    }

    /// One that disposes all of these.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third])
    }

    /// One that disposes all of these.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable, _ others: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third] + others)
    }

    /// One that disposes all of these.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

final class NopDisposable: DisposeBase, @unchecked Sendable {
    // Unchecked: has no state.
    static let instance = NopDisposable()

    #if TRACE_RESOURCES
        private override init() {
            super.init()
            // Lives as long as the process and is therefore not counted.
            Resources.decrementTotal()
        }
    #endif
}
