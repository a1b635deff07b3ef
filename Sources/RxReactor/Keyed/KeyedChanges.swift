public import Rx

/// The steps that turn one list into another, with the fewest possible moves.
///
/// Deletions come first, from the back. Insertions and moves follow, from the front. Updates come last, with positions
/// in the new list. An element that moves and changes its value has a move and an update.
///
/// Identities should be unique. If one occurs twice, the steps still produce the new list.
///
/// The cost is a comparison of both lists from their ends, plus a table of the identities in between. The parts that
/// two `KeyedList`s share are not compared.
public struct KeyedChanges<Element: Identifiable> {
    /// One step of the difference between two lists.
    ///
    /// Steps are applied in sequence. Positions refer to the list after all previous steps.
    public enum Step {
        /// Deletes the element at this position.
        case delete(Element.ID, at: Int)
        /// Inserts a new element at this position.
        case insert(Element, at: Int)
        /// Removes the element at `from`, then inserts it at `to`.
        case move(Element.ID, from: Int, to: Int)
        /// Replaces the value of the element at this position; its identity stays the same.
        case update(Element, at: Int)
    }

    /// The steps, in the order in which to apply them.
    public var steps: [Step] { @inlinable get { taken } }
    @usableFromInline var taken: [Step] = []

    @inlinable init() {}

    /// Whether the lists are equal.
    @inlinable public var isEmpty: Bool { taken.isEmpty }

    /// Computes the steps from `old` to `new`.
    ///
    /// - Parameters:
    ///   - old: the list before the change.
    ///   - new: the list after it.
    ///   - areEqual: compares an old and a new element with the same identity. False results in an update.
    @inlinable public init(from old: [Element], to new: [Element], by areEqual: (Element, Element) -> Bool) {
        self.init()
        append(from: old[...], to: new[...], offset: 0, by: areEqual)
    }

    /// Applies the steps to `list`, which must equal the old list; another list is a programming error.
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
    /// Computes the steps from `old` to `new`, comparing elements with `==`.
    @inlinable public init(from old: [Element], to new: [Element]) { self.init(from: old, to: new, by: ==) }
}

extension KeyedChanges.Step: Sendable where Element: RxSendable, Element.ID: RxSendable {}
extension KeyedChanges.Step: Equatable where Element: Equatable {}
extension KeyedChanges: Sendable where Element: RxSendable, Element.ID: RxSendable {}
extension KeyedChanges: Equatable where Element: Equatable {}
