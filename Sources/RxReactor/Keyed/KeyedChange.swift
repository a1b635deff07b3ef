/// One step of what changed in a list whose elements have identities.
///
/// Steps are taken one after the other: positions are those in the list that the steps before have made.
public enum KeyedChange<Element: Identifiable> {
    /// The element at this position goes.
    case delete(Element.ID, at: Int)
    /// A new element comes to this position.
    case insert(Element, at: Int)
    /// An element is taken away from one position, then put to the other.
    case move(Element.ID, from: Int, to: Int)
    /// The element at this position has a new value; its identity is the same.
    case update(Element, at: Int)
}

extension KeyedChange: Sendable where Element: Sendable, Element.ID: Sendable {}
extension KeyedChange: Equatable where Element: Equatable {}
