/// Disposes its contents when it is deallocated.
///
/// A subscription that ends by itself leaves the bag, so a long-lived bag contains only live subscriptions.
public final class DisposeBag: Sendable {
    let members = BagMembers()

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
        members.insert(.from(disposable))
    }

    /// Adds disposables.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Adds disposables.
    public func insert(_ disposables: [any Disposable]) {
        for disposable in disposables { members.insert(.from(disposable)) }
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
