public import Rx

/// One step of the difference between two lists of identifiable elements.
///
/// Steps are applied in sequence. Positions refer to the list after all previous steps.
public enum KeyedChange<Element: Identifiable> {
    /// Deletes the element at this position.
    case delete(Element.ID, at: Int)
    /// Inserts a new element at this position.
    case insert(Element, at: Int)
    /// Removes the element at `from`, then inserts it at `to`.
    case move(Element.ID, from: Int, to: Int)
    /// Replaces the value of the element at this position; its identity stays the same.
    case update(Element, at: Int)
}

extension KeyedChange: Sendable where Element: RxSendable, Element.ID: RxSendable {}
extension KeyedChange: Equatable where Element: Equatable {}
