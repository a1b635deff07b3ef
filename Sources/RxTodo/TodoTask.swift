/// A task of the list.
public struct TodoTask: Identifiable, Hashable, Sendable {
    /// The identity of the task; never changes.
    public let id: String
    /// The title, one line.
    public var title: String
    /// Further text; empty if there is none.
    public var memo: String
    /// Whether the task is done.
    public var isDone: Bool

    /// Creates a task, not done unless given.
    public init(id: String, title: String, memo: String = "", isDone: Bool = false) {
        self.id = id
        self.title = title
        self.memo = memo
        self.isDone = isDone
    }
}
