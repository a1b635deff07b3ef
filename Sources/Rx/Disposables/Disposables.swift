/// Creates disposables.
public struct Disposables: Sendable {
    private init() {}
}

extension Disposables {
    /// Returns a disposable without effect.
    public static func create() -> any Disposable { NopDisposable.instance }

    /// Returns a disposable that calls `dispose` once.
    #if Migration
        @preconcurrency
    #endif
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// Returns a disposable that disposes both.
    public static func create(_ first: any Disposable, _ second: any Disposable) -> any Cancelable {
        CompositeDisposable(disposables: [first, second])
    }

    /// Returns a disposable that disposes all three.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third])
    }

    /// Returns a disposable that disposes all four or more.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable, _ others: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third] + others)
    }

    /// Returns a disposable that disposes all of `disposables`.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

final class NopDisposable: DisposeBase, @unchecked Sendable {
    // Unchecked: it has no state.
    static let instance = NopDisposable()

    private override init() { super.init() }
}
