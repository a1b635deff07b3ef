/// What turns one list into another, in as few moves as there can be.
///
/// Deletions come first, from the back; then, from the front, insertions and moves; then the updates, whose positions are
/// those in the new list. An element that moved and has a new value is moved and updated.
///
/// A list in which an identity comes twice is bad style but not an error: the steps make the new list then too.
///
/// The cost is that of comparing the two lists at their beginnings and ends, with a table of the identities in between. Of
/// `KeyedList`s, what they share is not looked at.
public struct KeyedChanges<Element: Identifiable> {
    public var steps: [KeyedChange<Element>] { @inlinable get { taken } }
    @usableFromInline var taken: [KeyedChange<Element>] = []

    @inlinable init() {}

    @inlinable public var isEmpty: Bool { taken.isEmpty }

    /// - Parameter areEqual: whether an element of the old and one of the new list with the same identity are the same;
    ///   if not, there is an update.
    @inlinable public init(from old: [Element], to new: [Element], by areEqual: (Element, Element) -> Bool) {
        self.init()
        append(from: old[...], to: new[...], offset: 0, by: areEqual)
    }

    /// Takes the steps. The list is the one that they were made from, or the program is wrong.
    @inlinable public func apply(to list: inout [Element]) {
        for step in steps {
            switch step {
            case .delete(let id, let index):
                precondition(list[index].id == id, "the changes are those of another list")
                list.remove(at: index)
            case .insert(let element, let index):
                list.insert(element, at: index)
            case .move(let id, let from, let to):
                precondition(list[from].id == id, "the changes are those of another list")
                list.insert(list.remove(at: from), at: to)
            case .update(let element, let index):
                precondition(list[index].id == element.id, "the changes are those of another list")
                list[index] = element
            }
        }
    }
}

extension KeyedChanges where Element: Equatable {
    @inlinable public init(from old: [Element], to new: [Element]) { self.init(from: old, to: new, by: ==) }
}

extension KeyedChanges: Sendable where Element: Sendable, Element.ID: Sendable {}
extension KeyedChanges: Equatable where Element: Equatable {}
