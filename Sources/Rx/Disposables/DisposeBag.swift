internal import Synchronization

/// Disposes what was put in it when it goes away.
///
/// A subscription that is over by itself leaves the bag, so that a long-lived bag holds live subscriptions only.
public final class DisposeBag: Sendable {
    private let members = BagMembers()

    public init() {}

    public convenience init(disposing disposables: any Disposable...) {
        self.init(disposing: disposables)
    }

    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    deinit { members.dispose() }

    public func insert(_ disposable: any Disposable) {
        members.insert(disposable)
    }

    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    public func insert(_ disposables: [any Disposable]) {
        for disposable in disposables { members.insert(disposable) }
    }

    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// How many are held.
    var count: Int { members.count }

    /// Several disposables one under the other, with `if`, `switch` and `for`.
    @resultBuilder
    public struct DisposableBuilder {
        public static func buildExpression(_ disposable: any Disposable) -> [any Disposable] { [disposable] }
        public static func buildExpression(_ disposables: [any Disposable]) -> [any Disposable] { disposables }
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
        public static func buildBlock(_ disposables: [any Disposable]...) -> [any Disposable] {
            Array(disposables.joined())
        }
        public static func buildOptional(_ disposables: [any Disposable]?) -> [any Disposable] { disposables ?? [] }
        public static func buildEither(first disposables: [any Disposable]) -> [any Disposable] { disposables }
        public static func buildEither(second disposables: [any Disposable]) -> [any Disposable] { disposables }
        public static func buildLimitedAvailability(_ disposables: [any Disposable]) -> [any Disposable] { disposables }
        public static func buildArray(_ disposables: [[any Disposable]]) -> [any Disposable] {
            Array(disposables.joined())
        }
    }
}

/// What a bag holds; apart from the bag, so that a subscription can point at it without keeping the bag alive.
final class BagMembers: Sendable {
    private struct Members {
        var leaving: [ObjectIdentifier: any Disposable] = [:]
        var staying: [any Disposable] = []
        var isDisposed = false
    }

    private let members = Locked(Members())

    init() {}

    var count: Int { members.withLock { $0.leaving.count + $0.staying.count } }

    func insert(_ disposable: any Disposable) {
        let kept = disposable as? any Keepable
        let isLate = members.withLock { members in
            if members.isDisposed { return true }
            if let kept {
                members.leaving[ObjectIdentifier(kept)] = kept
            } else {
                members.staying.append(disposable)
            }
            return false
        }
        if isLate { disposable.dispose() } else if let kept, !kept.keep(in: self) { leave(kept) }
    }

    func leave(_ disposable: any Keepable) {
        // Taken out under the lock, released after it: its closures may run code when they go.
        let gone = members.withLock { $0.leaving.removeValue(forKey: ObjectIdentifier(disposable)) }
        withExtendedLifetime(gone) {}
    }

    func dispose() {
        let all = members.withLock { members -> Members in
            defer { members = Members(isDisposed: true) }
            return members
        }
        for disposable in all.staying { disposable.dispose() }
        for disposable in all.leaving.values { disposable.dispose() }
    }
}

/// A subscription that tells its bag when it is over.
protocol Keepable: AnyObject, Disposable {
    /// Remembers the bag to tell; false when it is over already. Only the first bag is remembered.
    func keep(in bag: BagMembers) -> Bool
}

/// One atomic word that holds the bag of a subscription, or none, or the fact that the subscription is over.
struct BagSlot: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)
    private static let none: UInt = 0
    private static let over: UInt = 1

    init() {}

    deinit { _ = close() }

    func set(_ bag: BagMembers) -> Bool {
        let retained = Unmanaged.passRetained(bag)
        let (done, found) = word.compareExchange(
            expected: BagSlot.none, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        if !done { retained.release() }
        return found != BagSlot.over
    }

    /// Marks the end and gives up the bag.
    func close() -> BagMembers? {
        let found = word.exchange(BagSlot.over, ordering: .acquiringAndReleasing)
        guard found > BagSlot.over, let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        return Unmanaged<BagMembers>.fromOpaque(pointer).takeRetainedValue()
    }
}
