/// A task of the list.
public struct TodoTask: Identifiable, Hashable, Sendable {
    public let id: String
    public var title: String
    public var memo: String
    public var isDone: Bool

    public init(id: String, title: String, memo: String = "", isDone: Bool = false) {
        self.id = id
        self.title = title
        self.memo = memo
        self.isDone = isDone
    }
}
