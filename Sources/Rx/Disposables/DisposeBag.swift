internal import Synchronization

/// Disposes its contents when it is deallocated.
///
/// A subscription that ends by itself leaves the bag, so a long-lived bag contains only live subscriptions.
public final class DisposeBag: Sendable {
    private let members = BagMembers()

    /// Creates an empty bag.
    public init() {}

    /// Creates a bag of `disposables`.
    public convenience init(disposing disposables: any Disposable...) {
        self.init(disposing: disposables)
    }

    /// Creates a bag of `disposables`.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    /// Creates a bag of the disposables that `builder` lists.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    deinit { members.dispose() }

    /// Adds a disposable.
    public func insert(_ disposable: any Disposable) {
        members.insert(disposable)
    }

    /// Adds disposables.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Adds disposables.
    public func insert(_ disposables: [any Disposable]) {
        for disposable in disposables { members.insert(disposable) }
    }

    /// Adds the disposables that `builder` lists.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// The number of disposables in the bag.
    var count: Int { members.count }

    /// Builds a list of disposables, one per line, with `if`, `switch`, and `for`.
    @resultBuilder
    public struct DisposableBuilder {
        /// One disposable.
        public static func buildExpression(_ disposable: any Disposable) -> [any Disposable] { [disposable] }
        /// A list of disposables.
        public static func buildExpression(_ disposables: [any Disposable]) -> [any Disposable] { disposables }
        /// A block of disposables.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
        /// A block of lists.
        public static func buildBlock(_ disposables: [any Disposable]...) -> [any Disposable] {
            Array(disposables.joined())
        }
        /// An `if` without `else`.
        public static func buildOptional(_ disposables: [any Disposable]?) -> [any Disposable] { disposables ?? [] }
        /// The first branch of an `if` or `switch`.
        public static func buildEither(first disposables: [any Disposable]) -> [any Disposable] { disposables }
        /// The second branch of an `if` or `switch`.
        public static func buildEither(second disposables: [any Disposable]) -> [any Disposable] { disposables }
        /// A block with an availability check.
        public static func buildLimitedAvailability(_ disposables: [any Disposable]) -> [any Disposable] { disposables }
        /// A `for` loop.
        public static func buildArray(_ disposables: [[any Disposable]]) -> [any Disposable] {
            Array(disposables.joined())
        }
    }
}

/// The contents of a bag. Separate from the bag, so that a subscription can refer to it without retaining the bag.
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
        // Removed under the lock and released after it, because releasing its closures may run code.
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

/// A subscription that notifies its bag when it ends.
protocol Keepable: AnyObject, Disposable {
    /// Stores the bag to notify. Returns false if the subscription has already ended. Only the first bag is stored.
    func keep(in bag: BagMembers) -> Bool
}

/// An atomic word that holds the bag of a subscription, none, or the ended state.
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

    /// Marks the end and returns the bag.
    func close() -> BagMembers? {
        let found = word.exchange(BagSlot.over, ordering: .acquiringAndReleasing)
        guard found > BagSlot.over, let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        return Unmanaged<BagMembers>.fromOpaque(pointer).takeRetainedValue()
    }
}
